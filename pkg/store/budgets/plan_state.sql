-- Returns what pkg/domain/account-plan.ts needs to promise moments, for those of `p_accounts` that the lease's
-- workspace is linked to (StateRow in send-plan.ts). Of other workspaces it tells units and shares, never who they
-- are. It forgets promises that are a day old, that no run or action waits for any more, and those of `p_runs` (runs
-- and actions), which are planned anew.
-- `p_now`: epoch ms UTC, product time. OU001: the lease is stale. Locks: the accounts' rows of account_pacing by
-- account, unless the caller holds them.
create or replace function app.plan_state(p_now bigint, p_accounts text[], p_runs uuid[])
  returns table (account_id text, state jsonb)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    mine text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select array_agg(l.account_id order by l.account_id)
    into mine
    from account_link l
    where l.workspace_id = ws and l.account_id = any (p_accounts);
    perform 1
    from account_pacing p
    where p.account_id = any (mine)
    order by p.account_id for update;
    delete from account_slot s
    where s.account_id = any (mine)
      and (
        s.at < p_now - 86400000
        or not s.acted
          and (
            s.run_id = any (p_runs)
            or not exists (select 1 from run u where u.id = s.run_id and u.ended_at is null and u.due_at = s.at)
              and not exists (select 1 from action a where a.id = s.run_id and a.due_at = s.at)
          )
      );
    return query
      select
        a.id,
        jsonb_build_object(
          'timezone', a.timezone,
          'tier', a.tier,
          'limits', a.limits,
          'pacing', a.pacing,
          'health', a.health,
          'ramp', case
            when a.ramp_enabled then jsonb_build_object('startShare', a.ramp_start_share, 'days', a.ramp_days)
          end,
          'firstSendAt', a.first_send_at,
          'hours', a.business_hours,
          'minGapMs', coalesce((select m.min_gap_ms from mailbox m where m.account_id = a.id), 0),
          'freeAt', (
            select jsonb_build_object('heavy', p.heavy_free_at, 'light', p.light_free_at)
            from account_pacing p
            where p.account_id = a.id
          ),
          'budgets', (
            select coalesce(jsonb_agg(jsonb_build_array(b.action, b.head_date, b.used)), '[]')
            from account_budget b
            where b.account_id = a.id
          ),
          'links', (
            select jsonb_agg(
              jsonb_build_object(
                'share', l.share,
                'mine', l.workspace_id = ws,
                'most', case
                  when l.workspace_id = ws
                    then coalesce((select w.limits -> 'dailyActions' from workspace w where w.id = ws), '{}')
                  else '{}'
                end,
                'spent', (
                  select coalesce(jsonb_object_agg(b.action, (b.by_workspace ->> l.workspace_id)::int), '{}')
                  from account_budget b
                  where b.account_id = a.id and b.by_workspace ? l.workspace_id
                )
              ) order by l.workspace_id
            )
            from account_link l
            where l.account_id = a.id
          ),
          'slots', (
            select coalesce(
              jsonb_agg(
                jsonb_build_array(
                  s.at,
                  s.free_at,
                  s.heavy,
                  s.acted,
                  case when s.workspace_id = ws then s.run_id end,
                  (
                    select count(*)
                    from account_link l
                    where l.account_id = a.id and l.workspace_id < s.workspace_id
                  ),
                  s.budgets,
                  s.earliest
                ) order by s.at
              ),
              '[]'
            )
            from account_slot s
            where s.account_id = a.id
          )
        )
      from network_account a
      where a.id = any (mine);
  end $$;

alter function app.plan_state(bigint, text[], uuid[]) owner to outrider_definer;
revoke execute on function app.plan_state(bigint, text[], uuid[]) from public;
grant execute on function app.plan_state(bigint, text[], uuid[]) to outrider_executor;
