-- What judging a batch of effects asks for each of them costs as much as all else of it: less is asked.
set local search_path = outrider, app, public;

-- As before, as one expression that the planner puts into its caller: its argument is used more than once, so that a function that
-- returns a value was called for each row.
drop function app.weekend_limit(int, date, jsonb);
create function app.weekend_limit(p_day int, p_date date, p_pacing jsonb) returns table (day int) language sql immutable rows 1
  as $$
    select case when extract(isodow from p_date) < 6 or p_day <= 0 then p_day
      when coalesce((p_pacing ->> 'weekendFactor')::float8, 1) <= 0 then 0
      else greatest(1, floor(p_day * coalesce((p_pacing ->> 'weekendFactor')::float8, 1) + 1e-9))::int end
  $$;
grant execute on function app.weekend_limit(int, date, jsonb) to outrider_app, outrider_executor, outrider_definer, outrider_owner;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.open_budgets(text, bigint, text[], text[])'::regprocedure);
  after := replace(before, 'app.weekend_limit(lim.day, h.head, k.pacing) as day, lim.week', 'weekend.day, lim.week');
  after := replace(after, ', k.health) lim', ', k.health) lim
        cross join lateral app.weekend_limit(lim.day, h.head, k.pacing) weekend');
  if (select count(*) from regexp_matches(after, 'weekend', 'g')) <> 3 then raise exception 'app.open_budgets does not read as expected'; end if;
  execute after;

  -- Only what reaches a person counts for their company.
  before := pg_get_functiondef('app.claim_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'join lead l on l.id = u.lead_id
        left join lateral', 'left join lateral (select n.company_key from lead n where n.id = u.lead_id and app.is_heavy(q.action) limit 1) l on true
        left join lateral');
  if after = before then raise exception 'app.claim_sends does not read as expected'; end if;
  -- And answered in the order of the requests, which is that of their due times: who was due first is promised the first moment. It
  -- was the order of the names of their companies, because that was the last thing to be sorted by.
  before := after;
  after := replace(before, ' from judged g;', ' from (select * from judged order by ord) g;');
  if after = before then raise exception 'app.claim_sends does not read as expected'; end if;
  execute after;
end $$;
