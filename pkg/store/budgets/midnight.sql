-- Returns the instant (epoch ms UTC) at which a local date begins in a timezone (IANA name).
create or replace function app.midnight(p_date date, p_zone text) returns bigint
  language sql stable
  as $$ select (extract(epoch from (p_date::timestamp at time zone p_zone)) * 1000)::bigint $$;

grant execute on function app.midnight(date, text) to outrider_app, outrider_definer, outrider_executor;
