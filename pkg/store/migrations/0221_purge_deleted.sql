-- Content of deleted records goes after the workspace's retention time. What proves contact stays: sends with their keys,
-- contact claims and times, suppression, budgets, credits, audit.
set local search_path = outrider, app, public;

alter table outrider.workflow add column purged_at bigint, add column purged_to uuid;
alter table outrider.campaign add column purged_at bigint;
alter table outrider.lead_list add column purged_at bigint;
alter table outrider.icp add column purged_at bigint;
alter table outrider.workspace add column purged_at bigint;
create index workflow_deleted on outrider.workflow (deleted_at) where deleted_at is not null and purged_at is null;
create index campaign_deleted on outrider.campaign (deleted_at) where deleted_at is not null and purged_at is null;
create index lead_list_deleted on outrider.lead_list (deleted_at) where deleted_at is not null and purged_at is null;
create index icp_deleted on outrider.icp (deleted_at) where deleted_at is not null and purged_at is null;
create index workspace_deleted on outrider.workspace (deleted_at) where deleted_at is not null and purged_at is null;

-- ms for which a workspace keeps what was deleted; null: for good.
create function app.retention_ms(p_settings jsonb) returns bigint language sql immutable
  as $$ select (p_settings ->> 'retentionDays')::bigint * 86400000 $$;

-- A part of a deleted workflow: texts of at most p_most runs; with the last run, the configs of its graphs. Node ids, types
-- and labels stay, by which the nodes of a re-creation are known again.
create function app.purge_workflow(p_workflow text, p_now bigint, p_most int) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    f record;
    runs uuid[];
  begin
    select * into f from workflow where id = p_workflow;
    select array_agg(x.id order by x.id) into runs from (select r.id from run r
      where r.workspace_id = f.workspace_id and r.workflow_id = f.id and r.id > coalesce(f.purged_to, '00000000-0000-0000-0000-000000000000') order by r.id limit p_most) x;
    update run r set facts = r.facts - array['crafted', 'craftedFacts', 'slots', 'approved', 'approvedSubjects']
      where r.id = any (runs) and r.facts ?| array['crafted', 'craftedFacts', 'slots', 'approved', 'approvedSubjects'];
    update review_item i set body = '', original_body = '', subject = null, facts = '[]', reason = null where i.run_id = any (runs);
    update send s set body = null, target = '{}' where s.run_id = any (runs);
    update node_call k set result = '{}', error = null where k.run_id = any (runs) and k.state = 'settled';
    update run_event e set text = '' where e.run_id = any (runs) and e.text <> '';
    if cardinality(runs) = p_most then
      update workflow set purged_to = runs[p_most] where id = f.id;
      return;
    end if;
    update workflow_graph g set graph = jsonb_build_object('edges', g.graph -> 'edges', 'nodes',
        (select coalesce(jsonb_agg(n.node || '{"config": {}}' order by n.place), '[]') from jsonb_array_elements(g.graph -> 'nodes') with ordinality n (node, place)))
      where g.workflow_id = f.id;
    update workflow set purged_at = p_now, purged_to = null, graph_problem = null where id = f.id;
  end $$;

-- A part of a deleted campaign, and with the last of its scores its texts, personas, phases and audience.
create function app.purge_campaign(p_campaign text, p_now bigint, p_most int) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare n int;
  begin
    delete from lead_score where (icp_id, lead_id) in (select s.icp_id, s.lead_id from lead_score s where s.campaign_id = p_campaign limit p_most);
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from campaign_lead where (campaign_id, lead_id) in (select c.campaign_id, c.lead_id from campaign_lead c where c.campaign_id = p_campaign limit p_most);
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from persona where campaign_id = p_campaign;
    delete from phase where campaign_id = p_campaign;
    update icp set titles = '{}', industries = '{}', seniorities = '{}', company_sizes = '{}', keywords = '{}', purged_at = p_now where campaign_id = p_campaign;
    update campaign set goal = '', description = '', settings = settings - 'playbookOverride', purged_at = p_now where id = p_campaign;
  end $$;

-- A part of a deleted workspace: its leads as an erasure leaves them, without a tombstone; then what else it wrote.
create function app.purge_workspace(p_workspace text, p_now bigint, p_most int) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare n int;
  begin
    perform app.erase_lead(p_workspace, x.id, p_now, false) from (select l.id from lead l where l.workspace_id = p_workspace and l.erased_at is null limit least(p_most, 500)) x;
    get diagnostics n = row_count;
    if n > 0 then return; end if;
    delete from lead_overlay where (workspace_id, lead_id) in (select o.workspace_id, o.lead_id from lead_overlay o where o.workspace_id = p_workspace limit p_most);
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from signal where workspace_id = p_workspace;
    delete from company where workspace_id = p_workspace;
    delete from playbook where workspace_id = p_workspace;
    delete from notification where workspace_id = p_workspace;
    update lead_import set errors = '[]', source_note = null where workspace_id = p_workspace;
    update workspace set settings = settings - array['website', 'senderPostalAddress'], purged_at = p_now where id = p_workspace;
  end $$;

-- Purges a part of the record that has been deleted the longest of those whose time is over. Platform only. Returns its kind, or
-- null when nothing is left to purge. A workflow with a send whose outcome is open waits: its text is evidence.
create function app.purge_deleted(p_now bigint, p_most int) returns text
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare found_id text;
  begin
    if not app.is_platform() then return null; end if;
    select f.id into found_id from workflow f join workspace w on w.id = f.workspace_id
      where f.deleted_at is not null and f.purged_at is null and f.deleted_at <= p_now - app.retention_ms(w.settings)
        and not exists (select 1 from send s where s.workflow_id = f.id and s.workspace_id = f.workspace_id and s.state in ('claimed', 'dispatched', 'unknown'))
      order by f.deleted_at limit 1 for update of f skip locked;
    if found then perform app.purge_workflow(found_id, p_now, p_most); return 'workflow'; end if;
    select c.id into found_id from campaign c join workspace w on w.id = c.workspace_id
      where c.deleted_at is not null and c.purged_at is null and c.deleted_at <= p_now - app.retention_ms(w.settings)
      order by c.deleted_at limit 1 for update of c skip locked;
    if found then perform app.purge_campaign(found_id, p_now, p_most); return 'campaign'; end if;
    select i.id::text into found_id from icp i join workspace w on w.id = i.workspace_id
      where i.deleted_at is not null and i.purged_at is null and i.deleted_at <= p_now - app.retention_ms(w.settings)
      order by i.deleted_at limit 1 for update of i skip locked;
    if found then
      update icp set titles = '{}', industries = '{}', seniorities = '{}', company_sizes = '{}', keywords = '{}', purged_at = p_now where id = found_id::uuid;
      return 'icp';
    end if;
    select t.id::text into found_id from lead_list t join workspace w on w.id = t.workspace_id
      where t.deleted_at is not null and t.purged_at is null and t.deleted_at <= p_now - app.retention_ms(w.settings)
      order by t.deleted_at limit 1 for update of t skip locked;
    if found then
      delete from lead_list_member where (lead_list_id, lead_id) in (select m.lead_list_id, m.lead_id from lead_list_member m where m.lead_list_id = found_id::uuid limit p_most);
      update lead_list set name = '', description = '', predicate = null, filter = null, lead_count = 0, purged_at = p_now
        where id = found_id::uuid and not exists (select 1 from lead_list_member m where m.lead_list_id = found_id::uuid);
      return 'lead_list';
    end if;
    select w.id into found_id from workspace w
      where w.deleted_at is not null and w.purged_at is null and w.deleted_at <= p_now - app.retention_ms(w.settings)
      order by w.deleted_at limit 1 for update of w skip locked;
    if found then perform app.purge_workspace(found_id, p_now, p_most); return 'workspace'; end if;
    return null;
  end $$;

do $$
declare f text;
begin
  foreach f in array array['purge_workflow(text, bigint, int)', 'purge_campaign(text, bigint, int)', 'purge_workspace(text, bigint, int)', 'purge_deleted(bigint, int)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.purge_deleted(bigint, int) to outrider_app;
grant execute on function app.retention_ms(jsonb) to outrider_app, outrider_definer;
