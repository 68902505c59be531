-- Trigger of account_wake: an account that is to be synced sooner is announced (channel `outrider_account_wake`,
-- payload its id), so that account sync need not wait for its next poll. A hint only: the table is looked at too.
create or replace function app.on_account_wake_sooner() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'INSERT' then
      perform pg_notify('outrider_account_wake', new.account_id);
    elsif new.due_at < old.due_at then
      perform pg_notify('outrider_account_wake', new.account_id);
    end if;
    return null;
  end $$;

alter function app.on_account_wake_sooner() owner to outrider_definer;
revoke execute on function app.on_account_wake_sooner() from public;
