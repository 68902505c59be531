-- Returns when the next schedule of a workspace comes or the next step of its scheduled runs is due (epoch ms, product
-- time); null: never, or the workspace is suspended, held or deleted, which stops all of them.
create or replace function app.next_schedule(p_workspace text) returns bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select x.at
    from (
      select least(
        (
          select min(s.next_at)
          from schedule s
          where s.workspace_id = p_workspace and s.enabled and s.deleted_at is null
        ),
        (
          select min(r.due_at)
          from scheduled_run r
          where r.workspace_id = p_workspace and r.state in ('queued', 'running')
        )
      ) as at
      offset 0
    ) x
    where x.at is not null
      and exists (
        select 1
        from workspace w
        where w.id = p_workspace and w.operating_mode = 'Running' and w.deleted_at is null
      )
      and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = p_workspace)
  $$;

alter function app.next_schedule(text) owner to outrider_definer;
revoke execute on function app.next_schedule(text) from public;
grant execute on function app.next_schedule(text) to outrider_owner, outrider_executor;
