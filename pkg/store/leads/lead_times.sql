-- Returns when an id was made, as entries of the index lead_criteria: periods of 65 s, 17 min, 4.7 h, 3 and 50 days.
-- A period is written as the first 8 to 4 hex digits of the ids (UUIDv7) in it.
create or replace function app.lead_times(p_id uuid) returns text[]
  language sql immutable parallel safe
  as $$
    select array[
      't:' || left(p_id::text, 8), 't:' || left(p_id::text, 7), 't:' || left(p_id::text, 6),
      't:' || left(p_id::text, 5), 't:' || left(p_id::text, 4)
    ]
  $$;

revoke execute on function app.lead_times(uuid) from public;
grant execute on function app.lead_times(uuid) to outrider_app, outrider_definer, outrider_executor;
