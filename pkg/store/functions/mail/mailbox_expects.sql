-- Whether live runs have mailed from this mailbox and so wait for news of it, which decides how soon it is read again; false for a
-- foreign account.
create or replace function app.mailbox_expects(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select app.may_use_account(p_account) and exists (select 1 from send s join run r on r.id = s.run_id
      where s.account_id = p_account and s.action = 'mail' and s.dispatched_at is not null and r.ended_at is null)
  $$;

alter function app.mailbox_expects(text) owner to outrider_definer;
revoke execute on function app.mailbox_expects(text) from public;
grant execute on function app.mailbox_expects(text) to outrider_executor;
