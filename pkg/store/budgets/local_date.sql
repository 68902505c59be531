-- Returns the date at an instant (epoch ms UTC) in a timezone (IANA name).
create or replace function app.local_date(p_now bigint, p_zone text) returns date
  language sql stable
  as $$ select (to_timestamp(p_now / 1000.0) at time zone p_zone)::date $$;

grant execute on function app.local_date(bigint, text) to outrider_app, outrider_definer, outrider_executor;
