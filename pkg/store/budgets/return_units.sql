-- Gives back units of sends: all but those that stay spent (send.kept_units), to the local date that gave them while it
-- is among the last seven. The caller has checked whose sends these are and sees to it that each comes once. Locks:
-- account_pacing by account, then account_budget by account and action.
create or replace function app.return_units(p_sends uuid[]) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare x record;
  begin
    perform 1
    from account_pacing
    where account_id in (select s.account_id from send s where s.id = any (p_sends))
    order by account_id for update;
    for x in
      select s.account_id, s.workspace_id, s.budget_date, a.action, count(*)::int as units
      from send s
      cross join lateral unnest(s.budgets) with ordinality as a (action, place)
      where s.id = any (p_sends) and a.place > coalesce(s.kept_units, 0)
      group by 1, 2, 3, 4
      order by 1, 4
    loop
      update account_budget b
      set
        used[1 + (b.head_date - x.budget_date)]
          = greatest(0, b.used[1 + (b.head_date - x.budget_date)] - x.units),
        by_workspace = case
          when b.head_date = x.budget_date then jsonb_set(
            b.by_workspace,
            array[x.workspace_id],
            to_jsonb(greatest(0, coalesce((b.by_workspace ->> x.workspace_id)::int, 0) - x.units))
          )
          else b.by_workspace
        end
      where b.account_id = x.account_id
        and b.action = x.action
        and b.head_date - x.budget_date between 0 and 6;
    end loop;
  end $$;

alter function app.return_units(uuid[]) owner to outrider_definer;
revoke execute on function app.return_units(uuid[]) from public;
