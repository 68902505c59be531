-- Takes up to p_wanted units of an account's budget for reading what the network shows (p_action: profile_scrape or
-- search): of the first account of the workspace that may act and has some left, the one that rested longest first.
-- They are spent, whatever comes of the reading. Source: catalog defaults.budgets.
-- p_account: the one account that may be asked; null: any of the workspace.
-- p_now: epoch ms UTC, product time. granted: units, 0 with account_id null when there were none. next_at: when to
-- ask again then (epoch ms), null where no account is linked or the caller may not use the workspace; accounts that
-- are paused, unwell, cooling, frozen, rehearsed or unguarded are asked again in 15 minutes. Locks: account_pacing,
-- then account_budget, account after account.
create or replace function app.take_reads(
  p_workspace text, p_now bigint, p_action text, p_wanted int, p_account text,
  OUT account_id text, OUT granted int, OUT next_at bigint
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    a record;
    b record;
  begin
    granted := 0;
    if not app.may_use(p_workspace) or p_action not in ('profile_scrape', 'search') then return; end if;
    for a in
      select n.*, l.paused as paused_here
      from network_account n
      join account_link l on l.account_id = n.id
      where l.workspace_id = p_workspace and (p_account is null or n.id = p_account)
      order by app.last_action_at(n) nulls first, n.id
    loop
      if a.status <> 'ok'
        or a.paused
        or a.paused_here
        or coalesce(a.cooldown_until, 0) > p_now
        or app.is_rehearsed(a.id)
        or not app.is_guarded(a.id)
        or exists (
          select 1
          from send_freeze z
          where z.channel in ('', 'network')
            and (z.until is null or z.until > p_now)
            and (
              z.scope = 'platform'
              or (z.scope = 'workspace' and z.target = p_workspace)
              or (z.scope = 'account' and z.target = a.id)
            )
        )
      then
        next_at := least(next_at, p_now + 900000);
        continue;
      end if;
      insert into account_pacing (account_id) values (a.id) on conflict do nothing;
      perform 1 from account_pacing p where p.account_id = a.id for update;
      select *
      into b
      from app.open_budgets(p_workspace, p_now, array[a.id], array[p_action]);
      granted := least(p_wanted, b.left_units);
      if granted > 0 then
        update account_budget x
        set
          used[1] = x.used[1] + granted,
          by_workspace = jsonb_set(
            x.by_workspace,
            array[p_workspace],
            to_jsonb(coalesce((x.by_workspace ->> p_workspace)::int, 0) + granted)
          )
        where x.account_id = a.id and x.action = p_action;
        account_id := a.id;
        return;
      end if;
      next_at := least(next_at, app.midnight(b.head + b.wait_days, a.timezone));
    end loop;
  end $$;

alter function app.take_reads(text, bigint, text, int, text) owner to outrider_definer;
revoke execute on function app.take_reads(text, bigint, text, int, text) from public;
grant execute on function app.take_reads(text, bigint, text, int, text) to outrider_app, outrider_executor;
