-- Returns when the next action of a workspace asks the ledger (epoch ms, product time), of all kinds or of these; null:
-- never, or nothing of the workspace may leave. A change of a calendar's event counts as the action `calendar_event`.
create or replace function app.next_action(p_workspace text, p_actions text[]) returns bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select x.at
    from (
      select least(
        (
          select min(a.due_at)
          from action a
          where a.workspace_id = p_workspace
            and a.due_at is not null
            and (p_actions is null or a.action = any (p_actions))
        ),
        (
          select min(c.due_at)
          from calendar_change c
          where c.workspace_id = p_workspace
            and c.due_at is not null
            and (p_actions is null or 'calendar_event' = any (p_actions))
        )
      ) as at
      offset 0
    ) x
    where x.at is not null and app.is_running(p_workspace)
  $$;

alter function app.next_action(text, text[]) owner to outrider_definer;
revoke execute on function app.next_action(text, text[]) from public;
grant execute on function app.next_action(text, text[]) to outrider_owner, outrider_executor;
