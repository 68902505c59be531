-- Trigger of account_wake: announces an account that is to be synced sooner (channel `outrider_account_wake`, the
-- payload is its id), so that account sync need not wait for its next poll. It is a hint only: account sync looks at
-- the table too.
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
