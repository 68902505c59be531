-- An erasure looked for the person's messages, drafts and notifications through those of all workspaces: seconds each beside a few million sends,
-- longer than a statement may take beside more, and a deleted workspace, whose leads go by the hundred, never came to an end. All of them belong
-- to runs of the lead. What a deleted workspace wrote besides goes in parts, too. The new indexes are of tables that no effect writes.
set local search_path = outrider, app, public;

create index notification_lead on outrider.notification ((data ->> 'leadId')) where data ->> 'leadId' is not null;
create index lead_scrape_lead on outrider.lead_scrape_item (lead_id) where lead_id is not null;
create index lead_scrape_profile on outrider.lead_scrape_item (workspace_id, profile_id) where profile_id <> '';
create index signal_queue_lead on outrider.signal_queue (lead_id);

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.erase_lead(text, uuid, bigint, boolean)'::regprocedure);
  after := replace(before, E'    n int;\n  begin', E'    n int;\n    runs uuid[] := array(select r.id from run r where r.workspace_id = p_workspace and r.lead_id = p_lead);\n  begin');
  after := replace(after, 'where i.workspace_id = p_workspace and i.lead_id = p_lead', 'where i.run_id = any (runs) and i.workspace_id = p_workspace and i.lead_id = p_lead');
  after := replace(after, 'where s.workspace_id = p_workspace and s.lead_id = p_lead and s.state', 'where s.run_id = any (runs) and s.workspace_id = p_workspace and s.lead_id = p_lead and s.state');
  if (select count(*) from regexp_matches(after, 'runs uuid\[\] := |i\.run_id = any \(runs\)|s\.run_id = any \(runs\)', 'g')) <> 3 then
    raise exception 'app.erase_lead does not read as expected';
  end if;
  execute after;

  before := pg_get_functiondef('app.purge_workspace(text, bigint, integer)'::regprocedure);
  after := replace(before, E'    delete from signal where workspace_id = p_workspace;\n    delete from company where workspace_id = p_workspace;\n    delete from playbook where workspace_id = p_workspace;\n    delete from notification where workspace_id = p_workspace;\n',
    E'    delete from signal where id = any (array(select s.id from signal s where s.workspace_id = p_workspace limit p_most));\n    get diagnostics n = row_count;\n    if n = p_most then return; end if;\n    delete from company where id = any (array(select c.id from company c where c.workspace_id = p_workspace limit p_most));\n    get diagnostics n = row_count;\n    if n = p_most then return; end if;\n    delete from notification where id = any (array(select o.id from notification o where o.workspace_id = p_workspace limit p_most));\n    get diagnostics n = row_count;\n    if n = p_most then return; end if;\n    delete from playbook where workspace_id = p_workspace;\n');
  if after = before then raise exception 'app.purge_workspace does not read as expected'; end if;
  execute after;
end $$;
-- The months of history grow by the minute, and nobody has counted the newest.
alter function app.erase_lead(text, uuid, bigint, boolean) set enable_seqscan = off;
