-- Work that is brought forward is announced, so that whoever watches (the operator, the node agent of standalone) looks
-- at once. A hint only: everything is found by looking at the table too. Postponements say nothing, so that an
-- executor's own bookkeeping causes no notification.
set local search_path = outrider, app, public;

create function app.on_wake_sooner() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'INSERT' then perform pg_notify('outrider_wake', new.workspace_id);
    elsif new.due_at < old.due_at then perform pg_notify('outrider_wake', new.workspace_id);
    end if;
    return null;
  end $$;
alter function app.on_wake_sooner() owner to outrider_definer;
revoke execute on function app.on_wake_sooner() from public;
create trigger wake_sooner after insert or update of due_at on outrider.workspace_wake
  for each row execute function app.on_wake_sooner();
