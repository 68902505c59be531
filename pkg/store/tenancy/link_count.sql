-- Returns how many workspaces share an account, others of the agency and strangers too; 0 for an account that the
-- caller's workspaces do not use. It tells a number only, never whose they are, for tools that warn before a change
-- that reaches the others (`linkedWorkspaces`).
create or replace function app.link_count(p_account text) returns int
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select count(*)::int
    from account_link
    where account_id = p_account
      and (
        app.is_platform()
        or exists (
          select 1
          from account_link own
          where own.account_id = p_account and own.workspace_id = any (app.workspaces())
        )
      )
  $$;

alter function app.link_count(text) owner to outrider_definer;
revoke execute on function app.link_count(text) from public;
grant execute on function app.link_count(text) to outrider_app;
