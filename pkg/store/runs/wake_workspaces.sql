-- Brings the wake of these workspaces forward to p_due (epoch ms, product time; 0: at once), never back. It passes
-- over nulls among them. Locks: their wakes in order of ids.
create or replace function app.wake_workspaces(p_workspaces text[], p_due bigint, p_reason text) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    insert into workspace_wake as w (workspace_id, due_at, reason)
    select distinct x, p_due, p_reason
    from unnest(p_workspaces) x
    where x is not null
    order by 1
    on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason
      where w.due_at > excluded.due_at
  $$;

alter function app.wake_workspaces(text[], bigint, text) owner to outrider_definer;
revoke execute on function app.wake_workspaces(text[], bigint, text) from public;
grant execute on function app.wake_workspaces(text[], bigint, text) to outrider_owner;
