-- Whether an account is linked to a workspace and to no other living one: what it holds goes with that workspace.
create or replace function app.is_account_of(p_account text, p_workspace text) returns boolean
  language sql stable
  as $$
    select exists (
        select 1
        from account_link k
        where k.account_id = p_account and k.workspace_id = p_workspace
      )
      and not exists (
        select 1
        from account_link o
        join workspace w on w.id = o.workspace_id and w.deleted_at is null
        where o.account_id = p_account and o.workspace_id <> p_workspace
      )
  $$;

revoke execute on function app.is_account_of(text, text) from public;
grant execute on function app.is_account_of(text, text) to outrider_definer;
