-- Returns sends of runs of the lease's workspace by their ids; none without a lease. Sends of actions it leaves out:
-- executors of the version before ask it for all that is open, and know of none. No index serves its condition on the
-- workspace, so that no plan reads all sends of a workspace to pick some.
create or replace function app.sends_by_id(p_ids uuid[]) returns setof outrider.send
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select s.*
    from send s
    where s.id = any (p_ids) and s.run_id is not null and (s.workspace_id = (select app.workspace())) is true
  $$;

alter function app.sends_by_id(uuid[]) owner to outrider_definer;
revoke execute on function app.sends_by_id(uuid[]) from public;
grant execute on function app.sends_by_id(uuid[]) to outrider_executor;
