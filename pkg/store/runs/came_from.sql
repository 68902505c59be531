-- Says whether the lead of run p_run was handed over from workflow p_workflow, directly or through others, by runs
-- that started after p_since (epoch ms, product time). It reads histories of p_workspace only. For app.hand_off,
-- which refuses rounds.
create or replace function app.came_from(p_workspace text, p_run uuid, p_workflow text, p_since bigint)
  returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with recursive earlier (id) as (
      select p_run
      union
      select u.id
      from earlier k
      join run_event e
        on e.run_id = k.id
          and e.workspace_id = p_workspace
          and e.kind = 'run.started'
          and e.data ? 'handedOverBy'
      join run u
        on u.id = (e.data ->> 'handedOverBy')::uuid and u.workspace_id = p_workspace and u.started_at > p_since
    )
    select exists (
      select 1
      from earlier k
      join run u on u.id = k.id
      where k.id <> p_run and u.workflow_id = p_workflow
    )
  $$;

alter function app.came_from(text, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.came_from(text, uuid, text, bigint) from public;
