-- Plans a change of a calendar's event, which the executor of the workspace performs. The same wish again, while it is
-- open, finds the first; a deletion too. `p_wanted` as calendar_change.wish; of an update its `takes` are the times
-- that the event will have ({start, end, allDay}), and no part of the wish; `p_by`: address or key of who asks;
-- `p_now`: epoch ms, product time.
-- Returns the change and whether this call made it; else `refusal`: no_account (not of the workspace, or disconnected),
-- full: 500 changes of the calendar wait, or told: its server, whose invitations no mailbox's budget counts, was asked
-- to tell 50 people within 24 hours (app.told_by_server). Locks: what is planned of the calendar, as an advisory lock.
create or replace function app.plan_calendar_change(
  p_id uuid, p_workspace text, p_account text, p_kind text, p_event text, p_wanted jsonb, p_by text, p_now bigint
)
  returns table (change_id uuid, made boolean, refusal text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    known uuid;
  begin
    if not app.may_use(p_workspace)
      or not exists (
        select 1
        from calendar_account c
        where c.id = p_account and c.workspace_id = p_workspace and c.deleted_at is null and c.status = 'connected'
      )
    then
      return query select null::uuid, false, 'no_account';
      return;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('changes of calendar ' || p_account, 0));
    select c.id
    into known
    from calendar_change c
    where c.account_id = p_account
      and c.event_id = p_event
      and c.kind = p_kind
      and c.wish - 'takes' = p_wanted - 'takes'
      and c.ended_at is null
    limit 1;
    if found then return query select known, false, null::text; return; end if;
    if (select count(*) from calendar_change c where c.account_id = p_account and c.ended_at is null) >= 500 then
      return query select null::uuid, false, 'full';
      return;
    end if;
    if app.told_by_server(p_account, p_kind, p_wanted, p_now) > 50 then
      return query select null::uuid, false, 'told';
      return;
    end if;
    insert into calendar_change (
      id, workspace_id, account_id, kind, event_id, wish, due_at, made_by, created_at
    )
    values (p_id, p_workspace, p_account, p_kind, p_event, p_wanted, p_now, p_by, p_now);
    perform app.wake_workspaces(array[p_workspace], p_now, 'an event of a calendar is to be changed');
    return query select p_id, true, null::text;
  end $$;

alter function app.plan_calendar_change(uuid, text, text, text, text, jsonb, text, bigint) owner to outrider_definer;
revoke execute on function app.plan_calendar_change(uuid, text, text, text, text, jsonb, text, bigint) from public;
grant execute on function app.plan_calendar_change(uuid, text, text, text, text, jsonb, text, bigint) to outrider_app;
