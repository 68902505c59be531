-- Returns the units that requests may take, for parallel arrays of their places in the batch, accounts and actions: a
-- row per request, its budgets in the order in which they are named; a budget that is named twice gives two units. It
-- opens the budgets and locks them (app.open_budgets).
-- `left_units`: what each budget has, less the units that the same request names before (0 where the workspace does not
-- use the account); `units_on`: the local date on which it has some again; `budget_date`: the date whose units the
-- first one gives. `p_now`: epoch ms UTC, product time.
create or replace function app.judge_units(
  p_workspace text, p_now bigint, p_ords bigint[], p_accounts text[], p_actions text[]
)
  returns table (ord bigint, left_units int[], units_on date[], budget_date date)
  language sql volatile
  as $$
    with needs as materialized (
      select
        n.ord,
        n.account_id,
        n.action,
        n.pos,
        row_number() over (partition by n.ord, n.action order by n.pos)::int - 1 as before
      from unnest(p_ords, p_accounts, p_actions) with ordinality as n (ord, account_id, action, pos)
    ),
    opened as materialized (
      select o.account_id, o.action, o.left_units, o.head, o.head + o.wait_days as units_on
      from (
        select array_agg(d.account_id) as accounts, array_agg(d.action) as actions
        from (select distinct n.account_id, n.action from needs n) d
      ) k
      cross join lateral app.open_budgets(p_workspace, p_now, k.accounts, k.actions) o
    )
    select
      n.ord,
      array_agg(greatest(0, coalesce(o.left_units, 0) - n.before) order by n.pos),
      array_agg(o.units_on order by n.pos),
      (array_agg(o.head order by n.pos))[1]
    from needs n
    left join opened o on o.account_id = n.account_id and o.action = n.action
    group by 1
  $$;

grant execute on function app.judge_units(text, bigint, bigint[], text[], text[]) to outrider_definer;
