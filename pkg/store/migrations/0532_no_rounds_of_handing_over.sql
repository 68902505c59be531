-- Workflows that hand their leads over to each other passed them round and round: where nothing on the way waits, a lead was in a new run every few
-- milliseconds, for ever, and the history grew with it. Who came from a workflow within a day, however many were between, is refused there as
-- already enrolled, and takes the branch for that. A nurture that sends a lead back after weeks does as before.
set local search_path = outrider, app, public;

-- Whether the lead of a run was handed over from this workflow, directly or through others, since then.
create function app.came_from(p_workspace text, p_run uuid, p_workflow text, p_since bigint) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with recursive earlier (id) as (
      select p_run
      union
      select u.id from earlier k
        join run_event e on e.run_id = k.id and e.workspace_id = p_workspace and e.kind = 'run.started' and e.data ? 'handedOverBy'
        join run u on u.id = (e.data ->> 'handedOverBy')::uuid and u.workspace_id = p_workspace and u.started_at > p_since)
    select exists (select 1 from earlier k join run u on u.id = k.id where k.id <> p_run and u.workflow_id = p_workflow)
  $$;
alter function app.came_from(text, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.came_from(text, uuid, text, bigint) from public;
grant execute on function app.came_from(text, uuid, text, bigint) to outrider_definer;

do $$
declare
  before text := pg_get_functiondef('app.hand_off(bigint, jsonb)'::regprocedure);
  after text;
begin
  after := replace(before, 'o.ended_at is null) then ''already_enrolled''
', 'o.ended_at is null) then ''already_enrolled''
        when app.came_from(ws, r."runId", f.id, p_now - 86400000) then ''already_enrolled''
');
  if after = before then raise exception 'app.hand_off does not read as expected'; end if;
  execute after;
end $$;
