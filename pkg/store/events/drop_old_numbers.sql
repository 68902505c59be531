-- Forgets numbers of events whose month was dropped (app.drop_old_events), at most p_limit a call. Returns how many.
-- A reader that never came so far passes over them. For the platform; with less than 30 days it does nothing.
-- `p_now`: epoch ms UTC, product time.
create or replace function app.drop_old_numbers(p_now bigint, p_keep_days int, p_limit int) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    kept_from bigint := extract(
      epoch from date_trunc('month', to_timestamp(p_now / 1000.0 - p_keep_days * 86400.0), 'UTC')
    )::bigint * 1000;
    dropped int;
  begin
    if not app.is_platform() or p_keep_days < 30 then return 0; end if;
    delete from event_number n
    where n.ctid = any (array(select x.ctid from event_number x where x.at < kept_from limit p_limit));
    get diagnostics dropped = row_count;
    return dropped;
  end $$;

alter function app.drop_old_numbers(bigint, int, int) owner to outrider_definer;
revoke execute on function app.drop_old_numbers(bigint, int, int) from public;
grant execute on function app.drop_old_numbers(bigint, int, int) to outrider_app;
