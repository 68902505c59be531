-- Returns the accounts of a workspace that no other living one is linked to: what they hold goes with it.
create or replace function app.accounts_only_of(p_workspace text) returns text[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select coalesce(array_agg(k.account_id order by k.account_id), '{}')
    from account_link k
    where k.workspace_id = p_workspace and app.is_account_of(k.account_id, p_workspace)
  $$;

alter function app.accounts_only_of(text) owner to outrider_definer;
revoke execute on function app.accounts_only_of(text) from public;
