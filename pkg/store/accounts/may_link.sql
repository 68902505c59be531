-- Returns whether an account may be linked to a workspace: nobody owns it yet, it is linked there already, one agency
-- or one person owns both workspaces, or the workspace that owns the account has let this one in. For the platform.
create or replace function app.may_link(p_account text, p_workspace text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (
        select
          o.id = w.id
          or o.agency_id = w.agency_id
          or o.owner_user_id = w.owner_user_id
          or exists (select 1 from account_link l where l.account_id = p_account and l.workspace_id = w.id)
          or exists (
            select 1
            from account_consent c
            where c.account_id = p_account and c.workspace_id = w.id and c.given_by = o.id
          )
        from workspace o
        join workspace w on w.id = p_workspace
        where o.id = app.account_owner(p_account)
      ),
      app.account_owner(p_account) is null
    ) and app.is_platform()
  $$;

alter function app.may_link(text, text) owner to outrider_definer;
revoke execute on function app.may_link(text, text) from public;
grant execute on function app.may_link(text, text) to outrider_app;
