-- A draft that waits, or a notice of a workflow, is for those whom its node names. When all of them were removed from the workspace
-- nobody heard of it, and drafts waited until they expired and their leads were stopped. Now its owner and admins do.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.notify_members(bigint, jsonb)'::regprocedure);
  after := replace(before, 'and (m.user_id::text = any (q.members) or m.id::text = any (q.members))',
    'and (m.user_id::text = any (q.members) or m.id::text = any (q.members)
          or m.role in (''owner'', ''admin'') and not exists (select 1 from member o where o.workspace_id = ws
            and (o.user_id::text = any (q.members) or o.id::text = any (q.members))))');
  if after = before then raise exception 'app.notify_members does not read as expected'; end if;
  execute after;
end $$;
