-- Returns the seven daily counters (the first is of `p_head`) moved to the head date `p_to`; it never moves them
-- back.
create or replace function app.roll_window(p_used int[], p_head date, p_to date) returns int[]
  language sql immutable
  as $$
    select case
      when p_to <= p_head then p_used
      when p_to - p_head >= 7 then '{0,0,0,0,0,0,0}'::int[]
      else (array_fill(0, array[p_to - p_head]) || p_used)[1:7]
    end
  $$;

grant execute on function app.roll_window(int[], date, date) to outrider_app, outrider_definer, outrider_executor;
