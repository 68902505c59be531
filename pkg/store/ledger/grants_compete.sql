-- Says whether one grant of a judged batch decides about another request: units that do not suffice for all requests
-- that ask, the pace of an account, the places of a company. `asks`: the request is granted but for units, among
-- which it then counts.
create or replace function app.grants_compete(p_judged app.judged_send[]) returns boolean
  language sql immutable
  as $$
    with j as materialized (
      select
        j.account_id,
        j.contact,
        j.unpaced,
        j.budgets,
        j.left_units,
        j.company_key,
        j.company_room,
        j.stands,
        coalesce(j.refusal, 'budget') = 'budget' as asks
      from unnest(p_judged) j
    )
    select exists (
        select
        from j
        cross join lateral unnest(j.budgets, j.left_units) as b (action, units)
        where j.asks
        group by j.account_id, b.action
        having max(b.units) > 0 and min(b.units) < count(*)
      )
      or exists (
        select
        from j
        where j.asks and j.unpaced is not true
        group by j.account_id, j.contact
        having count(*) > 1
      )
      or exists (
        select
        from j
        where j.company_key is not null
        group by j.company_key
        having min(j.company_room + j.asks::int) filter (
          where not j.stands and j.company_room > 0
        ) <= count(*) filter (where j.asks)
      )
  $$;

grant execute on function app.grants_compete(app.judged_send[]) to outrider_definer;
