-- Takes a unit of each budget of granted requests. p_now: epoch ms, product time. app.take_sends calls it, whose
-- caller holds these budgets.
create or replace function app.take_units(p_workspace text, p_now bigint, p_granted app.judged_send[])
  returns void
  language sql
  as $$
    update account_budget b
    set
      used[1] = b.used[1] + x.units,
      last_at = case when x.acts then p_now else b.last_at end,
      by_workspace = jsonb_set(
        b.by_workspace,
        array[p_workspace],
        to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units)
      )
    from (
      select g.account_id, u.action, count(*)::int as units, bool_or(g.at_once) as acts
      from unnest(p_granted) g
      cross join lateral unnest(g.budgets) as u (action)
      group by 1, 2
    ) x
    where b.account_id = x.account_id and b.action = x.action
  $$;

grant execute on function app.take_units(text, bigint, app.judged_send[]) to outrider_definer;
