-- Returns the sum of up to seven daily counters. It is written out so that the planner can put it into the query that
-- asks.
create or replace function app.sum_of(p_used int[]) returns int
  language sql immutable
  as $$
    select coalesce(p_used[1], 0) + coalesce(p_used[2], 0) + coalesce(p_used[3], 0) + coalesce(p_used[4], 0)
      + coalesce(p_used[5], 0) + coalesce(p_used[6], 0) + coalesce(p_used[7], 0)
  $$;

grant execute on function app.sum_of(int[]) to outrider_app, outrider_definer, outrider_executor;
