-- Who found no account that may act is woken by one that is linked to the workspace, as by one that may act again: before, their run said for
-- up to an hour that it is unhealthy.
set local search_path = outrider, app, public;

create function app.on_account_linked() returns trigger
  language plpgsql security definer set search_path = outrider, app, pg_catalog as $$
  begin
    update run set due_at = 0 where workspace_id = new.workspace_id and account_id is null and wait_reason = 'account_unhealthy'
      and ended_at is null and due_at is not null and state <> 'paused';
    if found then perform app.wake_workspaces(array[new.workspace_id], 0, 'account_linked'); end if;
    return null;
  end $$;
alter function app.on_account_linked() owner to outrider_definer;
revoke execute on function app.on_account_linked() from public;

create trigger account_linked after insert on account_link for each row execute function app.on_account_linked();
