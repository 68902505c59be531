-- An account whose sync is brought forward (a webhook's hint) is announced like a workspace whose work is, so that account
-- sync looks at once instead of at its next poll. A hint only: everything is found by looking at the table too.
set local search_path = outrider, app, public;

create function app.on_account_wake_sooner() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'INSERT' then perform pg_notify('outrider_account_wake', new.account_id);
    elsif new.due_at < old.due_at then perform pg_notify('outrider_account_wake', new.account_id);
    end if;
    return null;
  end $$;
alter function app.on_account_wake_sooner() owner to outrider_definer;
revoke execute on function app.on_account_wake_sooner() from public;
create trigger wake_sooner after insert or update of due_at on outrider.account_wake
  for each row execute function app.on_account_wake_sooner();
