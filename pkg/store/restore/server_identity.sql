-- Returns which server runs: its system identifier, the timeline, which rises with each failover or restore, and when
-- it started. It fails on a standby.
create or replace function app.server_identity(
  OUT system_identifier text,
  OUT timeline int,
  OUT started timestamptz
)
  returns record
  language sql stable
  set search_path = pg_catalog
  as $$
    select
      c.system_identifier::text,
      ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int,
      pg_postmaster_start_time()
    from pg_control_system() c
  $$;

grant execute on function app.server_identity() to outrider_app, outrider_definer, outrider_executor;
