-- Returns those of these accounts that are linked to the workspace of the lease, in no order. It asks for the lease
-- once, where row security would compare each row with all accounts of the workspace.
create or replace function app.accounts_of(p_ids text[]) returns setof outrider.network_account
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select a.*
    from unnest(p_ids) as u (id)
    join account_link l on l.account_id = u.id and l.workspace_id = (select app.workspace())
    join network_account a on a.id = u.id
  $$;

alter function app.accounts_of(text[]) owner to outrider_definer;
revoke execute on function app.accounts_of(text[]) from public;
grant execute on function app.accounts_of(text[]) to outrider_executor;
