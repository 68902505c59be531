-- Returns how much of an account other workspaces are guaranteed, 0 to 1, without telling which they are. Only of
-- accounts that the caller may use.
create or replace function app.other_shares(p_account text, p_workspace text) returns double precision
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(sum(l.share), 0)::float8
    from account_link l
    where l.account_id = p_account
      and l.workspace_id <> p_workspace
      and app.may_use_account(p_account)
  $$;

alter function app.other_shares(text, text) owner to outrider_definer;
revoke execute on function app.other_shares(text, text) from public;
grant execute on function app.other_shares(text, text) to outrider_app, outrider_owner;
