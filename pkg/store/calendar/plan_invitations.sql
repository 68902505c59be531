-- Plans the mails that tell attendees of a change of an event, where the calendar's server tells nobody: an action
-- `invitation` each, which spends a unit of the mailbox like any mail. A person is told of a change once: the key is
-- the change and the address.
-- `p_mailbox`: the account that writes. `p_mails`: [{id, to, subject, text, calendar, method}]; `p_now`: epoch ms,
-- product time; after `p_expires` none begins. Returns how many were planned. The caller settles the change in the same
-- transaction and holds it.
create or replace function app.plan_invitations(
  p_change uuid, p_mailbox text, p_mails jsonb, p_expires bigint, p_now bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    change calendar_change;
    made int;
  begin
    select * into change from calendar_change c where c.id = p_change;
    if not found
      or not app.may_use(change.workspace_id)
      or not exists (
        select 1 from account_link l where l.account_id = p_mailbox and l.workspace_id = change.workspace_id
      )
    then
      return 0;
    end if;
    insert into action (
      id, workspace_id, calendar_change_id, account_id, action, budgets, once_key, body, target, urgent, due_at,
      expires_at, made_by, created_at
    )
    select
      m.id,
      change.workspace_id,
      p_change,
      p_mailbox,
      'invitation',
      array['mail'],
      'i:' || p_change || ':' || m."to",
      m.text,
      jsonb_build_object(
        'to', m."to", 'subject', m.subject, 'calendar', m.calendar, 'method', m.method, 'link', false
      ),
      true,
      p_now,
      p_expires,
      change.made_by,
      p_now
    from jsonb_to_recordset(p_mails) as m (id uuid, "to" text, subject text, text text, calendar text, method text)
    where not exists (
      select 1 from action a where a.calendar_change_id = p_change and a.once_key = 'i:' || p_change || ':' || m."to"
    );
    get diagnostics made = row_count;
    if made > 0 then
      perform app.wake_workspaces(array[change.workspace_id], p_now, 'attendees of a meeting are to be told');
    end if;
    return made;
  end $$;

alter function app.plan_invitations(uuid, text, jsonb, bigint, bigint) owner to outrider_definer;
revoke execute on function app.plan_invitations(uuid, text, jsonb, bigint, bigint) from public;
grant execute on function app.plan_invitations(uuid, text, jsonb, bigint, bigint) to outrider_executor;
