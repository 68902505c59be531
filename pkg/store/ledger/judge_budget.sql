-- Refuses a request that lacks a unit of one of its budgets, until the local date on which there are some again
-- (catalog: budgets). `p_left`: units of each budget; `p_on`: these dates; `p_zone`: timezone of the account.
create or replace function app.judge_budget(p_left int[], p_on date[], p_zone text) returns app.send_refusal
  language sql stable
  as $$
    select app.refused_if(0 = any (p_left), 'budget', app.midnight(p_on[array_position(p_left, 0)], p_zone))
  $$;

grant execute on function app.judge_budget(int[], date[], text) to outrider_definer;
