-- Trigger of account_link: runs that found no account in this workspace that may act look again at once.
create or replace function app.on_account_linked() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if app.release_account(new.workspace_id, new.account_id) then
      perform app.wake_workspaces(array[new.workspace_id], 0, 'account_linked');
    end if;
    return null;
  end $$;

alter function app.on_account_linked() owner to outrider_definer;
revoke execute on function app.on_account_linked() from public;
