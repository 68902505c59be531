-- Plans that what an attendee answered by mail is kept in the calendar: of an event that this service changed or made,
-- whose attendees are told through this mailbox. `p_account`: the mailbox; `p_answer`: needs_action, accepted, declined
-- or tentative; `p_sequence`: of the invitation that it answers; `p_said`: when it was said, null: unknown; `p_now`:
-- epoch ms, product time. The executor looks whether they are invited, and to which state of the event they say it.
-- Mails overtake each other: what the attendee said before an answer that is known counts no more.
-- Returns how many calendars know the event. The caller has found out that the sender is who it says.
create or replace function app.hear_calendar_answer(
  p_account text, p_event text, p_email text, p_answer text, p_sequence bigint, p_said bigint, p_now bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    heard int;
  begin
    if app.account() is distinct from p_account then return 0; end if;
    with known as (
      select distinct on (c.id) c.id, c.workspace_id
      from network_account a
      join account_link l on l.account_id = a.id
      join calendar_account c on c.workspace_id = l.workspace_id
      where a.id = p_account
        and lower(c.email) = lower(a.external_id)
        and c.deleted_at is null
        and not c.server_invites
        and exists (select 1 from calendar_change x where x.account_id = c.id and x.event_id = p_event)
    ),
    made as (
      insert into calendar_change (
        id, workspace_id, account_id, kind, event_id, wish, due_at, made_by, created_at
      )
      select
        gen_random_uuid(), k.workspace_id, k.id, 'answer', p_event,
        jsonb_build_object('email', p_email, 'answer', p_answer, 'sequence', p_sequence, 'saidAt', p_said),
        p_now,
        'attendee',
        p_now
      from known k
      where (
          select count(*)
          from calendar_change o
          where o.account_id = k.id and o.event_id = p_event and o.kind = 'answer' and o.ended_at is null
        ) < 100
        and not exists (
          select 1
          from calendar_change o
          where o.account_id = k.id
            and o.event_id = p_event
            and o.kind = 'answer'
            and o.wish ->> 'email' = p_email
            and (o.wish ->> 'saidAt')::bigint > p_said
        )
      returning workspace_id
    ),
    woken as (
      select app.wake_workspaces(array_agg(m.workspace_id), p_now, 'an attendee answered')
      from made m
      having count(*) > 0
    )
    select count(*)::int into heard from made left join woken on true;
    return heard;
  end $$;

alter function app.hear_calendar_answer(text, text, text, text, bigint, bigint, bigint) owner to outrider_definer;
revoke execute on function app.hear_calendar_answer(text, text, text, text, bigint, bigint, bigint) from public;
grant execute on function app.hear_calendar_answer(text, text, text, text, bigint, bigint, bigint) to outrider_executor;
