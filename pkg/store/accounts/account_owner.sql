-- Returns the workspace that a shared account belongs to: the one that has been linked for longest among those that are
-- there. Null: none is linked. The caller must be linked too; only whether it is the owner goes on to people.
create or replace function app.account_owner(p_account text) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select l.workspace_id
    from account_link l
    join workspace w on w.id = l.workspace_id and w.deleted_at is null
    where l.account_id = p_account and app.may_use_account(p_account)
    order by l.linked_at, l.workspace_id
    limit 1
  $$;

alter function app.account_owner(text) owner to outrider_definer;
revoke execute on function app.account_owner(text) from public;
grant execute on function app.account_owner(text) to outrider_app;
