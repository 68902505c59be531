-- Returns the workspaces that the server gave this transaction, from the caller's key at its beginning
-- (`app.workspaces`, ids with commas between); null: none. An executor's login can set this too, so that it means
-- nothing for it: it has its token only.
create or replace function app.workspaces() returns text[]
  language sql stable
  as $$
    select case
      when session_user <> 'outrider_executor'
        then string_to_array(nullif(current_setting('app.workspaces', true), ''), ',')
    end
  $$;

revoke execute on function app.workspaces() from public;
grant execute on function app.workspaces() to outrider_app, outrider_definer, outrider_executor;
