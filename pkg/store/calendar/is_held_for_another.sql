-- Says whether a part of [p_start, p_end) (epoch ms UTC) of a workspace's calendar is held for a lead with none of
-- these addresses. What other workspaces hold of the same calendar is held whatever its lead's address is: nobody
-- learns whom others know. A hold for a conversation without a lead binds offers alone. `p_now`: epoch ms, product
-- time. The caller holds the calendar's lock.
create or replace function app.is_held_for_another(
  p_workspace text, p_calendar text, p_start bigint, p_end bigint, p_emails text[], p_now bigint
)
  returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select exists (
      select 1
      from app.same_calendars(p_calendar) s(id)
      join calendar_hold h on h.calendar_id = s.id
      where h.start_at < p_end
        and h.end_at > p_start
        and h.expires_at > p_now
        and h.lead_id is not null
        and (
          h.workspace_id <> p_workspace
          or not exists (select 1 from lead l where l.id = h.lead_id and lower(l.email) = any (p_emails))
        )
        and app.may_use(p_workspace)
        and exists (
          select 1 from calendar_account c where c.id = p_calendar and c.workspace_id = p_workspace
        )
    )
  $$;

alter function app.is_held_for_another(text, text, bigint, bigint, text[], bigint) owner to outrider_definer;
revoke execute on function app.is_held_for_another(text, text, bigint, bigint, text[], bigint) from public;
grant execute on function app.is_held_for_another(text, text, bigint, bigint, text[], bigint) to outrider_app;
