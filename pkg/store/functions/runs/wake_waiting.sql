-- Runs that wait for a budget, pace or hours of the account look again at once, in all workspaces that share it, when its settings change. Does
-- nothing where the caller may not use the account.
create or replace function app.wake_waiting(p_account text) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use_account(p_account) then return; end if;
    update run set due_at = 0 where account_id = p_account and wait_reason in ('budget', 'pacing', 'business_hours') and send_id is null
      and ended_at is null and due_at is not null and state not in ('paused', 'replied');
    perform app.wake_workspaces((select array_agg(l.workspace_id) from account_link l where l.account_id = p_account), 0, 'settings');
  end $$;

alter function app.wake_waiting(text) owner to outrider_definer;
revoke execute on function app.wake_waiting(text) from public;
grant execute on function app.wake_waiting(text) to outrider_app, outrider_owner;
