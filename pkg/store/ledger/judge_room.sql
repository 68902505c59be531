-- Refuses a request for which there is no room: the rules about which a grant of another request decides, and the
-- hours, in the order of their checks. The arguments are those columns of app.judged_send, less what was granted
-- meanwhile. It has no sub-select, so that the planner puts it into the query that asks.
create or replace function app.judge_room(
  p_now bigint, p_company_room int, p_company_next_at bigint, p_not_before bigint, p_unpaced boolean,
  p_promised_at bigint, p_free_at bigint, p_left_units int[], p_units_on date[], p_zone text
)
  returns app.send_refusal
  language sql stable
  as $$
    select coalesce(
      app.refused_if(p_company_room <= 0, 'company_limit', p_company_next_at),
      app.refused_if(p_not_before > p_now, 'business_hours', p_not_before),
      app.judge_pace(p_now, p_unpaced, p_promised_at, p_free_at),
      app.judge_budget(p_left_units, p_units_on, p_zone)
    )
  $$;

grant execute on function app.judge_room(bigint, int, bigint, bigint, boolean, bigint, bigint, int[], date[], text)
  to outrider_definer;
