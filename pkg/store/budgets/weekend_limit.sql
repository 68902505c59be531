-- Returns the part of a day's limit that a date gets: all of it on working days, the account's weekendFactor (0 to 1,
-- unset: 1) of it on Saturday and Sunday, at least 1 unless one of them is 0. The planner can put it into the query
-- that asks.
create or replace function app.weekend_limit(p_day int, p_date date, p_pacing jsonb) returns table (day int)
  language sql immutable rows 1
  as $$
    select case
      when extract(isodow from p_date) < 6 or p_day <= 0 then p_day
      when coalesce((p_pacing ->> 'weekendFactor')::float8, 1) <= 0 then 0
      else greatest(1, floor(p_day * coalesce((p_pacing ->> 'weekendFactor')::float8, 1) + 1e-9))::int
    end
  $$;

grant execute on function app.weekend_limit(int, date, jsonb) to outrider_app, outrider_definer, outrider_executor;
