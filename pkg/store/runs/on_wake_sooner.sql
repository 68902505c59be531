-- Trigger: announces work that is brought forward on the channel outrider_wake, so that the operator looks at once.
-- It is only a hint, since looking at the table finds everything too. Postponements, an executor's own bookkeeping,
-- say nothing.
create or replace function app.on_wake_sooner() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'INSERT' then
      perform pg_notify('outrider_wake', new.workspace_id);
    elsif new.due_at < old.due_at then
      perform pg_notify('outrider_wake', new.workspace_id);
    end if;
    return null;
  end $$;

alter function app.on_wake_sooner() owner to outrider_definer;
revoke execute on function app.on_wake_sooner() from public;
