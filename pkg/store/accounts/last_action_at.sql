-- Returns when an account acted last (product time, epoch ms), null when it never did. The account's row keeps its
-- first action and those that reach a person, its budgets keep the others. It can be read as a column of the account:
-- app.last_action_at(a).
create or replace function app.last_action_at(p_account outrider.network_account) returns bigint
  language sql stable
  as $$
    select greatest(
      p_account.last_action_at,
      (select max(b.last_at) from outrider.account_budget b where b.account_id = p_account.id)
    )
  $$;

grant execute on function app.last_action_at(outrider.network_account)
  to outrider_app, outrider_definer, outrider_executor;
