-- A bounce that comes after its person was erased keeps nothing of whom it was about: before, it brought the address back, into the reports of
-- the mailbox, the exclusions of the workspace and the history of the run. Who must not be contacted there is known by the tombstone. Where
-- other workspaces share the mailbox the address is barred as ever, and a report that names our mail alone still counts for the mailbox.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint)'::regprocedure);
  after := replace(before, E'    sends uuid[];\n  begin', E'    sends uuid[];\n    erased text[];\n    forgotten boolean;\n  begin');
  after := replace(after, E'    if p_address is null then return false; end if;\n',
    E'    if p_address is null and s.id is null then return false; end if;
    -- The workspaces of the mailbox where whom it is about was erased, and whether nothing of them may be kept.
    select coalesce(array_agg(l.workspace_id) filter (where g.is_erased), ''{}''), coalesce(bool_and(g.is_erased), false) into erased, forgotten
      from account_link l cross join lateral (select
          exists (select 1 from erasure_tombstone t where t.workspace_id = l.workspace_id and t.hash = app.erasure_hash(l.workspace_id, ''mail:'' || app.mail_identity(p_address)))
          or (l.workspace_id = s.workspace_id and exists (select 1 from lead e where e.id = s.lead_id and e.erased_at is not null)) as is_erased) g
      where l.account_id = p_account;
    if s.id is not null then forgotten := p_address is null or s.workspace_id = any (erased); end if;\n');
  after := replace(after, 'values (p_account, p_external, p_kind, p_send, lower(p_address), left(p_reason, 500), p_at)',
    'values (p_account, p_external, p_kind, p_send, case when forgotten then '''' else lower(p_address) end, case when forgotten then '''' else left(p_reason, 500) end, p_at)');
  after := replace(after, E'from account_link l where l.account_id = p_account\n        and not exists (select 1 from suppression x',
    E'from account_link l where l.account_id = p_account and p_address is not null and not l.workspace_id = any (erased)\n        and not exists (select 1 from suppression x');
  after := replace(after, '''mail.bounced'', s.node_id, ''lead'', left(p_reason, 200), jsonb_build_object(',
    '''mail.bounced'', s.node_id, ''lead'', case when forgotten then '''' else left(p_reason, 200) end, jsonb_build_object(');
  if (select count(*) from regexp_matches(after, 'when forgotten|any \(erased\)|erased text\[\]|is_erased\) g', 'g')) <> 7 then
    raise exception 'app.record_mail_report does not read as expected';
  end if;
  execute after;
end $$;
