-- Says whether the caller acts for this account: account sync by its lease, an executor or a tool through a linked
-- workspace, the platform always. Never null.
create or replace function app.may_use_account(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(app.account() = p_account, false)
      or app.is_platform()
      or exists (select 1 from account_link l where l.account_id = p_account and app.may_use(l.workspace_id))
  $$;

alter function app.may_use_account(text) owner to outrider_definer;
revoke execute on function app.may_use_account(text) from public;
grant execute on function app.may_use_account(text) to outrider_app, outrider_executor, outrider_owner;
