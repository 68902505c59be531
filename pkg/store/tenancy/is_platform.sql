-- Says whether the server opened this transaction for the platform itself (`app.platform` is `on`): operator,
-- platform admins, maintenance. Never for an executor's login, which can set this too.
create or replace function app.is_platform() returns boolean
  language sql stable
  as $$
    select session_user <> 'outrider_executor' and coalesce(current_setting('app.platform', true), '') = 'on'
  $$;

revoke execute on function app.is_platform() from public;
grant execute on function app.is_platform() to outrider_app, outrider_definer, outrider_executor;
