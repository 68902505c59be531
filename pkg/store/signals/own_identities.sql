-- Returns by what the people of a workspace are known: profiles of the accounts that are linked to it and addresses of
-- its members, lower case; nothing where the caller may not use the workspace. What they do is no signal.
create or replace function app.own_identities(p_workspace text) returns table (kind text, value text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select 'profile', lower(n.profile_url)
    from account_link a
    join network_account n on n.id = a.account_id
    where a.workspace_id = p_workspace and n.profile_url <> '' and (select app.may_use(p_workspace))
    union
    select 'mail', lower(u.email)
    from member m
    join app_user u on u.id = m.user_id
    where m.workspace_id = p_workspace and u.email <> '' and (select app.may_use(p_workspace))
  $$;

alter function app.own_identities(text) owner to outrider_definer;
revoke execute on function app.own_identities(text) from public;
grant execute on function app.own_identities(text) to outrider_app, outrider_executor;
