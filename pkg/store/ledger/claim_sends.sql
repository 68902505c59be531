-- Claims a batch of effects: takes for each request the send key, the contact claim, a unit of each budget and the
-- promised moment, or says why not (catalog: contact policy, sendAttempt, budgets, pacing).
-- `p_now`: epoch ms UTC, product time. `p_requests`: [{runId, sendId, nodeId, accountId, action (enums.budgetAction),
-- budgets: actions that give a unit each, once: node | account, body, target, notBefore: epoch ms, atOnce}]
-- (ClaimRequest in ledger.ts).
-- Returns a row for each run of the lease's workspace. `refusal`: null when granted, else gone, send_freeze,
-- suppressed, replied, already_sent, recontact, account_unhealthy, claim_held_elsewhere, purpose_lock,
-- duration, company_limit,
-- business_hours, pacing or budget, in this order of checks; `next_at`: epoch ms when it is worth asking again, null
-- when nobody knows.
-- OU001: the lease is stale. The caller has locked the runs. Locks: account_pacing by account, the companies of
-- people to whom it may write, then account_budget by account and action.
create or replace function app.claim_sends(p_now bigint, p_requests jsonb)
  returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    accounts text[];
    judged app.judged_send[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- Of the workspace's own: the one who names another one is refused, and locks nothing of it.
    select array_agg(distinct l.account_id)
    into accounts
    from jsonb_to_recordset(p_requests) as q ("accountId" text)
    join account_link l on l.account_id = q."accountId" and l.workspace_id = ws;
    perform 1
    from account_pacing
    where account_id = any (accounts)
    order by account_id for update;
    -- The two lanes of a workspace meet at a company: the second one counts whom the first one reached. A few locks
    -- stand for all companies, so that large batches do not fill the server's table of locks.
    perform pg_advisory_xact_lock(hashtextextended('company:' || ws || ':' || k.place, 0))
    from (
      select distinct abs(hashtext(l.company_key) % 8) as place
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, action text)
      join run u on u.id = q."runId"
      join lead l on l.id = u.lead_id
      join campaign c on c.id = u.campaign_id
      where app.is_contact(q.action)
        and (u.workspace_id = ws) is true
        and l.company_key <> ''
        and app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay') > 0
      order by 1
    ) k;
    select array_agg(j) into judged from app.judge_sends(ws, p_now, p_requests) j;
    if app.grants_compete(judged) then judged := app.judge_in_turn(p_now, judged); end if;
    return query select * from app.take_sends(ws, p_now, judged);
  end $$;

alter function app.claim_sends(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.claim_sends(bigint, jsonb) from public;
grant execute on function app.claim_sends(bigint, jsonb) to outrider_executor;
