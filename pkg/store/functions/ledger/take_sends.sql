-- Second half of app.claim_in_turn: keys, contact claims, rows and units for the requests of `p_won` (ids of their sends). A key that a merge
-- of persons or another workspace took between the check and here is answered as already_sent, a contact claim as claim_held_elsewhere.
-- `p_requests`: those of app.claim_sends; `p_now`: epoch ms UTC, product time. The caller holds runs, account_pacing and budgets.
create or replace function app.take_sends(p_workspace text, p_now bigint, p_requests jsonb, p_won uuid[])
  returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    keyed uuid[];
    taken uuid[];
  begin
    if cardinality(p_won) = 0 then return; end if;
    with q as (
      select q.*, u.person_id, u.workflow_id from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, once text)
        join run u on u.id = q."runId" where q."sendId" = any (p_won)
    ),
    k as (
      insert into send_key (key, person_id, workspace_id, send_id, taken_at)
        select case q.once when 'account' then 'r:' || q."accountId" || ':' || q.person_id else 'm:' || q.person_id || ':' || q.workflow_id || ':' || q."nodeId" end,
          q.person_id, p_workspace, q."sendId", p_now from q order by 1
        on conflict do nothing returning send_id
    )
    select coalesce(array_agg(send_id), '{}') into keyed from k;
    with q as (
      select q."runId", q."sendId", u.person_id, app.scope_key(c.settings, u.campaign_id, p_workspace, w.agency_id, q."accountId") as scope_key
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "accountId" text)
        join run u on u.id = q."runId" join campaign c on c.id = u.campaign_id join workspace w on w.id = p_workspace where q."sendId" = any (keyed)
    ),
    c as (
      insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
        select distinct on (q.person_id, q.scope_key) q.scope_key, q.person_id, p_workspace, q."runId", p_now from q
        where not exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null)
        order by q.person_id, q.scope_key, q."runId"
        on conflict (scope_key, person_id) do update set workspace_id = excluded.workspace_id, run_id = excluded.run_id, released_at = null
          where c.run_id = excluded.run_id or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
        returning c.run_id
    )
    select coalesce(array_agg(q."sendId"), '{}') into taken from q
      where q."runId" in (select c.run_id from c)
         or exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null);
    delete from send_key where send_id = any (keyed) and not send_id = any (taken);
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch, body, target, budget_date, claimed_at, dispatched_at, dispatched_real)
      select q."sendId", p_workspace, u.workflow_id, u.campaign_id, u.id, q."nodeId", u.lead_id, u.person_id, q."accountId", q.action, q.budgets, k.key, case when x.at_once then 'dispatched' else 'claimed' end, app.claim_epoch(),
        q.body, coalesce(q.target, '{}'), (select b.head_date from account_budget b where b.account_id = q."accountId" and b.action = q.budgets[1]), p_now,
        case when x.at_once then p_now end, case when x.at_once then clock_timestamp() end
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], body text, target jsonb, "atOnce" boolean)
        cross join lateral (select coalesce(q."atOnce", false) and app.is_harmless(q.action) as at_once) x
        join run u on u.id = q."runId" join send_key k on k.send_id = q."sendId" where q."sendId" = any (taken);
    update account_budget b set used[1] = b.used[1] + x.units, last_at = case when x.acts then p_now else b.last_at end,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select s.account_id, u.action, count(*)::int as units, bool_or(s.state = 'dispatched') as acts from send s cross join lateral unnest(s.budgets) as u (action)
            where s.id = any (taken) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    perform app.note_quiet_actions(p_now, array(select distinct s.account_id from send s where s.id = any (taken) and s.state = 'dispatched'));
    return query
      select q."runId", q."sendId" = any (taken), case when q."sendId" = any (taken) then null when q."sendId" = any (keyed) then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid) where q."sendId" = any (p_won);
  end $$;

alter function app.take_sends(text, bigint, jsonb, uuid[]) owner to outrider_definer;
revoke execute on function app.take_sends(text, bigint, jsonb, uuid[]) from public;
