-- Opens the partition of history for the month (UTC) of p_at (epoch ms, product time) and moves there what the
-- default partition has of it. True when it was not open yet. An executor opens months with a lease only, and where
-- product time is real time those within 40 days of today, since each month is a table with which all history is
-- planned. It belongs to the tables' owner, so that any role may ask. Errors: lock_not_available where history is
-- held for half a second. Locks: one opener at a time, then the default partition.
create or replace function app.open_event_month(p_at bigint) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  set lock_timeout = '500ms'
  as $$
  declare
    first date := date_trunc('month', to_timestamp(p_at / 1000.0) at time zone 'UTC')::date;
    name text := 'run_event_' || to_char(first, 'YYYY_MM');
    low bigint := extract(epoch from first)::bigint * 1000;
    high bigint := extract(epoch from (first + interval '1 month')::date)::bigint * 1000;
  begin
    if session_user = 'outrider_executor'
      and (
        coalesce(app.workspace(), app.account()) is null
        or (
          abs(p_at / 1000.0 - extract(epoch from clock_timestamp())) > 40 * 86400
          and not exists (select 1 from installation i where i.rehearsal)
        )
      )
    then
      return false;
    end if;
    if to_regclass('outrider.' || name) is not null then return false; end if;
    perform pg_advisory_xact_lock(hashtext('outrider.run_event'));
    if to_regclass('outrider.' || name) is not null then return false; end if;
    execute format('create table outrider.%I (like outrider.run_event including defaults)', name);
    execute format(
      $quiet$
        alter table outrider.%I
          set (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 1)
      $quiet$,
      name
    );
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format(
      'create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)',
      name
    );
    lock table outrider.run_event_default in access exclusive mode;
    execute format(
      $move$
        with moved as (
          delete from outrider.run_event_default
          where at >= %s and at < %s
          returning *
        )
        insert into outrider.%I
        select * from moved
      $move$,
      low,
      high,
      name
    );
    execute format(
      'alter table outrider.run_event attach partition outrider.%I for values from (%s) to (%s)',
      name,
      low,
      high
    );
    return true;
  end $$;

revoke execute on function app.open_event_month(bigint) from public;
grant execute on function app.open_event_month(bigint) to outrider_app, outrider_definer, outrider_executor;
