-- Returns units of an account whose sends are not settled yet, by action and local date (`day`), of two days, since
-- it is still yesterday somewhere. Only of accounts that the caller may use. `p_now`: epoch ms UTC, product time.
create or replace function app.open_units(p_account text, p_now bigint)
  returns table (action text, day date, units int)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select a.action, s.budget_date, count(*)::int
    from send s
    cross join lateral unnest(s.budgets) as a (action)
    where s.account_id = p_account
      and s.claimed_at > p_now - 2 * 86400000::bigint
      and s.settled_at is null
      and app.may_use_account(p_account)
    group by 1, 2
  $$;

alter function app.open_units(text, bigint) owner to outrider_definer;
revoke execute on function app.open_units(text, bigint) from public;
grant execute on function app.open_units(text, bigint) to outrider_app;
