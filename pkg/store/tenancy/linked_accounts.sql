-- Returns the ids of the accounts that the caller may see: those linked to its workspaces, all linked ones for the
-- platform, and that of its lease. The policies of tables by account ask for it as a set, which proves the lease once
-- for a statement, not once for a row.
create or replace function app.linked_accounts() returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select account_id
    from outrider.account_link
    where workspace_id = any ((select array_append(app.workspaces(), app.workspace()))::text[])
      or (select app.is_platform())
    union
    select app.account()
    where app.account() is not null
  $$;

alter function app.linked_accounts() owner to outrider_definer;
revoke execute on function app.linked_accounts() from public;
grant execute on function app.linked_accounts() to outrider_app, outrider_executor;
