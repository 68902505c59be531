-- Returns the periods of app.lead_times that cover p_span ms before p_before and the moment of p_before: at most 16
-- of one length, newest last. Null when 16 of the longest (50 days) are not enough.
create or replace function app.lead_window(p_before uuid, p_span double precision) returns text[]
  language sql immutable
  as $$
    with span as (
      select
        app.id_time(p_before) as until,
        greatest(0, app.id_time(p_before) - least(p_span, 281474976710655)::bigint) as since
    ),
    length as (
      select until >> 16 + 4 * n as last, since >> 16 + 4 * n as first, 8 - n as digits
      from span, generate_series(0, 4) n
      where (until >> 16 + 4 * n) - (since >> 16 + 4 * n) < 16
      order by n limit 1
    )
    select array_agg('t:' || lpad(to_hex(period), digits, '0') order by period)
    from length, generate_series(first, last) period
  $$;

revoke execute on function app.lead_window(uuid, double precision) from public;
grant execute on function app.lead_window(uuid, double precision) to outrider_definer;
