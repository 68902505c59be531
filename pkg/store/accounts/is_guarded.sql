-- Says whether this account may act on the running server: restore_guard has compared the installation since the
-- server started, and account_guard the account's sends. It always may while nobody guards the database, that is
-- before any operator ran on it. For diagnosis; the ledger asks in app.stops_of.
create or replace function app.is_guarded(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select g.checked_start is null
      or (
        g.checked_start = pg_postmaster_start_time()
        and exists (
          select 1
          from account_guard a
          where a.account_id = p_account and a.checked_start = pg_postmaster_start_time()
        )
      )
    from restore_guard g
  $$;

alter function app.is_guarded(text) owner to outrider_definer;
revoke execute on function app.is_guarded(text) from public;
grant execute on function app.is_guarded(text) to outrider_app, outrider_owner;
