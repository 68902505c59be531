-- Returns what mails of the account's workspaces carried to these persons, the newest 20 of each, so that what a reply
-- quotes of them is told from what the person wrote: the send, its address in one form (app.mail_identity), subject
-- and text. Nothing where the caller may not use the account.
create or replace function app.sent_mails(p_account text, p_persons uuid[])
  returns table (send_id uuid, person_id uuid, address text, subject text, body text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select s.id, p.id, app.mail_identity(s.target ->> 'to'), coalesce(s.target ->> 'subject', ''), s.body
    from unnest(p_persons) p (id)
    cross join lateral (
      select o.id, o.target, coalesce(o.body, '') as body
      from send_key k
      join send o on o.id = k.send_id
      where k.person_id = p.id
        and o.action = 'mail'
        and o.dispatched_at is not null
        and o.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      order by o.dispatched_at desc limit 20
    ) s
    where app.may_use_account(p_account)
  $$;

alter function app.sent_mails(text, uuid[]) owner to outrider_definer;
revoke execute on function app.sent_mails(text, uuid[]) from public;
grant execute on function app.sent_mails(text, uuid[]) to outrider_executor;
