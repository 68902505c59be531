-- Claims sends for actions without a run: key, a unit of each budget and the promised moment, or why not. As
-- app.claim_sends, whose answer it gives with the action in place of the run.
-- `p_now`: epoch ms UTC, product time. `p_requests`: [{runId: the action, sendId, target, notBefore: epoch ms}]; what
-- is done, by whom and to whom stands in the action. `refusal`: gone, suppressed, already_sent, send_freeze,
-- account_unhealthy, business_hours, pacing or budget.
-- OU001: the lease is stale. The caller has locked the actions (app.due_actions). Locks: account_pacing by account,
-- account_budget by account and action, then send keys.
create or replace function app.claim_actions(p_now bigint, p_requests jsonb)
  returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    judged app.judged_send[];
    wanted app.judged_send[];
    kept app.judged_send[];
    own_epoch bigint := app.claim_epoch();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1
    from account_pacing
    where account_id in (
      select a.account_id
      from jsonb_to_recordset(p_requests) as q ("runId" uuid)
      join action a on a.id = q."runId" and a.workspace_id = ws
      join account_link l on l.account_id = a.account_id and l.workspace_id = ws
    )
    order by account_id for update;
    select array_agg(j) into judged from app.judge_actions(ws, p_now, p_requests) j;
    if judged is null then return; end if;
    if app.grants_compete(judged) then judged := app.judge_in_turn(p_now, judged); end if;
    select array_agg(j order by j.ord) into wanted from unnest(judged) j where j.refusal is null;
    return query
      select j.run_id, false, j.refusal, j.next_at
      from unnest(judged) j
      where j.refusal is not null;
    if wanted is null then return; end if;
    kept := app.only_sends(wanted, app.take_send_keys(ws, p_now, wanted));
    insert into send (
      id, workspace_id, campaign_id, action_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch,
      body, target, budget_date, claimed_at
    )
    select
      k.send_id, ws, k.campaign_id, k.run_id, k.lead_id, k.person_id, k.account_id, k.action, k.budgets, k.send_key,
      'claimed', own_epoch, k.body, coalesce(k.target, '{}'), k.budget_date, p_now
    from unnest(kept) k;
    perform app.take_units(ws, p_now, kept);
    perform app.take_promises(p_now, kept);
    update action a
    set send_id = k.send_id, due_at = null, wait_reason = null
    from unnest(kept) k
    where a.id = k.run_id;
    return query
      select w.run_id, k.send_id is not null, case when k.send_id is null then 'already_sent' end, null::bigint
      from unnest(wanted) w
      left join unnest(kept) k on k.send_id = w.send_id;
  end $$;

alter function app.claim_actions(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.claim_actions(bigint, jsonb) from public;
grant execute on function app.claim_actions(bigint, jsonb) to outrider_executor;
