-- Returns when the next schedule of a workspace comes or the next step of its scheduled runs is due (epoch ms, product
-- time), of all kinds or of these; null: never, or the workspace is suspended, held or deleted, which stops all of
-- them.
create or replace function app.next_schedule(p_workspace text, p_kinds text[]) returns bigint
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
          where s.workspace_id = p_workspace
            and s.enabled
            and s.deleted_at is null
            and (p_kinds is null or s.kind = any (p_kinds))
        ),
        (
          select min(r.due_at)
          from scheduled_run r
          where r.workspace_id = p_workspace
            and r.state in ('queued', 'running')
            and (p_kinds is null or (select s.kind from schedule s where s.id = r.schedule_id) = any (p_kinds))
        )
      ) as at
      offset 0
    ) x
    where x.at is not null and app.is_running(p_workspace)
  $$;

alter function app.next_schedule(text, text[]) owner to outrider_definer;
revoke execute on function app.next_schedule(text, text[]) from public;
grant execute on function app.next_schedule(text, text[]) to outrider_owner, outrider_executor;
