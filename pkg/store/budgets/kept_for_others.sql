-- Returns the units of an account's day that are kept for the guaranteed shares of workspaces other than the
-- caller's. It follows the rule of app.open_budgets, so that tools show what the ledger grants.
-- p_actions and p_days: the actions and their limits of today; p_now: epoch ms UTC, product time. Of several
-- workspaces of the caller it takes the one that may do most. It returns no rows where none of them is linked to the
-- account.
create or replace function app.kept_for_others(p_account text, p_now bigint, p_actions text[], p_days int[])
  returns table (action text, kept int)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select k.action, min(o.kept)::int
    from unnest(p_actions, p_days) as k (action, day)
    join network_account a on a.id = p_account
    join account_link mine on mine.account_id = a.id and app.may_use(mine.workspace_id)
    left join account_budget b on b.account_id = a.id and b.action = k.action
    cross join lateral (
      select coalesce(
        sum(
          greatest(
            0,
            floor(k.day * l.share)::int - case
              when b.head_date >= app.local_date(p_now, a.timezone)
                then coalesce((b.by_workspace ->> l.workspace_id)::int, 0)
              else 0
            end
          )
        ),
        0
      ) as kept
      from account_link l
      where l.account_id = a.id and l.workspace_id <> mine.workspace_id
    ) o
    group by k.action
  $$;

alter function app.kept_for_others(text, bigint, text[], int[]) owner to outrider_definer;
revoke execute on function app.kept_for_others(text, bigint, text[], int[]) from public;
grant execute on function app.kept_for_others(text, bigint, text[], int[]) to outrider_app;
