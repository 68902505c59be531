-- The send ledger: claim, dispatch, settle. Set-based, raise nothing for a single send, reached only with a claim token.
set local search_path = outrider, app, public;

create function app.claim_epoch() returns bigint language sql stable
  as $$ select split_part(current_setting('app.claim_token', true), '|', 3)::bigint $$;

-- Whether state, mode or a hold stops this workflow: 'send_freeze', or null.
create function app.flow_stop(p_workspace text, p_campaign text, p_workflow text) returns text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select case when not exists (select 1 from workspace where id = p_workspace and operating_mode = 'Running' and deleted_at is null)
      or not exists (select 1 from campaign where id = p_campaign and state = 'active' and deleted_at is null)
      or not exists (select 1 from workflow where id = p_workflow and enabled and deleted_at is null)
      or exists (select 1 from hold where (kind, id) in (('workspace', p_workspace), ('campaign', p_campaign), ('workflow', p_workflow)))
      then 'send_freeze' end
  $$;

-- Why nothing of this workflow may go out through this account now, or null; p_until: when that ends by itself.
create function app.stop_of(p_workspace text, p_campaign text, p_workflow text, p_account text, p_now bigint, out reason text, out until bigint)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    reason := app.flow_stop(p_workspace, p_campaign, p_workflow);
    if reason is not null then return; end if;
    select 'send_freeze', f.until into reason, until from send_freeze f
      where (f.scope = 'platform' or (f.scope = 'workspace' and f.target = p_workspace) or (f.scope = 'account' and f.target = p_account))
        and f.channel in ('', 'network') and (f.until is null or f.until > p_now)
      order by f.until desc nulls first limit 1;
    if reason is not null then return; end if;
    select 'account_unhealthy', case when a.status = 'ok' and not a.paused then a.cooldown_until end into reason, until
      from network_account a where a.id = p_account and (a.status <> 'ok' or a.paused or coalesce(a.cooldown_until, 0) > p_now);
    if reason is not null then return; end if;
    if not exists (select 1 from account_link where account_id = p_account and workspace_id = p_workspace) then reason := 'account_unhealthy'; end if;
  end $$;

create function app.is_heavy(p_action text) returns boolean language sql immutable
  as $$ select p_action in ('connection_request', 'message', 'inmail', 'comment', 'mail') $$;

-- Takes for each request: send key, contact claim, budget units, pacing slot, or says why not and when to ask again.
-- p_requests: [{runId, sendId, nodeId, accountId, action, budgets[], once: node|account, body, target}], runs locked by the caller.
create function app.claim_sends(p_now bigint, p_requests jsonb) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    n record;
    budget record;
    open_account text;
    left_units jsonb := '{}';   -- action -> units left, paced ones counted
    open_rows jsonb := '{}';    -- action -> {day, wait, over}
    p app.pacing;
    v app.pacing;
    states app.pacing[] := '{}';
    companies jsonb := '{}';
    act text;
    why text;
    whenat bigint;
    won uuid[] := '{}';
    out_run uuid[] := '{}';
    out_why text[] := '{}';
    out_at bigint[] := '{}';
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into account_pacing (account_id)
      select distinct l.account_id from jsonb_to_recordset(p_requests) as q ("accountId" text) join account_link l on l.account_id = q."accountId" and l.workspace_id = ws
      on conflict do nothing;
    perform 1 from account_pacing where account_id in (select q."accountId" from jsonb_to_recordset(p_requests) as q ("accountId" text)) order by account_id for update;
    for r in
      with q as (
        select x.*, row_number() over () as ord from jsonb_to_recordset(p_requests)
          as x ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text)
      ),
      j as (
        select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.settings, l.company_key, w.timezone as ws_zone, w.agency_id, a.timezone as zone,
          app.is_heavy(q.action) as heavy,
          u.ended_at is not null or u.state = 'paused' as gone,
          exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) as held,
          coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
            and coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true) as replied,
          case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
          app.scope_key(c.settings, u.campaign_id, ws, w.agency_id, q."accountId") as scope_key
        from q join run u on u.id = q."runId" and u.workspace_id = ws
          join campaign c on c.id = u.campaign_id join workspace w on w.id = ws join lead l on l.id = u.lead_id
          left join network_account a on a.id = q."accountId"
      ),
      stops as (
        select d.*, t.reason, t.until from (select distinct campaign_id, workflow_id, "accountId" from j) d
          cross join lateral app.stop_of(ws, d.campaign_id, d.workflow_id, d."accountId", p_now) t
      ),
      barred as (
        select s.lead_id, s.source from (select campaign_id, array_agg(lead_id) as leads from j group by 1) g
          cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) s
      ),
      touched as (
        select g.person_id, j."runId",
          max(g.last_at) filter (where g.workspace_id = ws) as last_at,
          max(g.last_at) filter (where g.workflow_id <> j.workflow_id and (case coalesce(j.settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace')
            when 'campaign' then g.campaign_id = j.campaign_id when 'account' then g.account_id = j."accountId"
            when 'agency' then g.workspace_id = ws or g.workspace_id in (select a.id from workspace a where a.agency_id = j.agency_id)
            else g.workspace_id = ws end)) as other_at
        from j join contact_log g on g.person_id = j.person_id group by 1, 2
      ),
      today as (
        select l.company_key, count(distinct s.person_id)::int as people, array_agg(distinct s.person_id) as persons
        from send s join lead l on l.id = s.lead_id
        where s.workspace_id = ws and s.claimed_at >= app.midnight(app.local_date(p_now, (select timezone from workspace where id = ws)), (select timezone from workspace where id = ws))
          and app.is_heavy(s.action) and s.state <> 'failed' and l.company_key in (select company_key from j where company_key <> '')
        group by 1
      )
      select j.*, s.reason as stop, s.until, b.source as suppressed, t.last_at, t.other_at, k.key as taken, cc.run_id as holder, cc.released_at, cc.cool_until,
        coalesce(d.people, 0) as company_people, coalesce(j.person_id = any (d.persons), false) as company_known
      from j
        left join stops s on s.campaign_id = j.campaign_id and s.workflow_id = j.workflow_id and s."accountId" = j."accountId"
        left join barred b on b.lead_id = j.lead_id
        left join touched t on t."runId" = j."runId"
        left join send_key k on k.key = j.send_key
        left join contact_claim cc on cc.scope_key = j.scope_key and cc.person_id = j.person_id
        left join today d on d.company_key = j.company_key
      order by j."accountId", j.ord
    loop
      why := case
        when r.gone then 'gone'
        when r.held then 'send_freeze'
        when r.suppressed is not null then 'suppressed'
        when r.replied then 'replied'
        when r.taken is not null then 'already_sent'
        when r.heavy and r.other_at > p_now - app.policy_days(r.settings, 'recontactAfterDays', 90)::bigint * 86400000 then 'recontact'
        when r.stop is not null then r.stop
        when r.holder is distinct from r."runId" and r.holder is not null and (r.released_at is null or coalesce(r.cool_until, 0) > p_now) then 'claim_held_elsewhere'
        when r.heavy and r.last_at + app.policy_days(r.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000 > p_now then 'duration'
        when r.heavy and r.company_key <> '' and not r.company_known
          and r.company_people + coalesce((companies ->> r.company_key)::int, 0) >= app.policy_days(r.settings, 'maxLeadsPerCompanyPerDay', 3)
          and app.policy_days(r.settings, 'maxLeadsPerCompanyPerDay', 3) > 0 then 'company_limit'
        end;
      whenat := case why
        when 'send_freeze' then r.until when 'account_unhealthy' then r.until
        when 'claim_held_elsewhere' then r.cool_until
        when 'duration' then r.last_at + app.policy_days(r.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000
        when 'company_limit' then app.midnight(app.local_date(p_now, r.ws_zone) + 1, r.ws_zone)
        end;
      if why is null then
        if open_account is distinct from r."accountId" then
          if open_account is not null then states := states || p; end if;
          open_account := r."accountId";
          left_units := '{}';
          open_rows := '{}';
          select x.account_id, x.heavy_free_at, x.light_free_at, x.session_ends_at, x.draws into p from account_pacing x where x.account_id = open_account;
          v := null;
        end if;
        foreach act in array r.budgets loop
          if not left_units ? act then
            budget := app.open_budget(open_account, act, ws, p_now);
            left_units := left_units || jsonb_build_object(act, budget.left_units);
            open_rows := open_rows || jsonb_build_object(act, jsonb_build_object('day', budget.day_limit, 'wait', budget.wait_days, 'over', 0, 'head', budget.head));
          end if;
          if (left_units ->> act)::int <= 0 then
            why := 'budget';
            whenat := app.midnight((open_rows -> act ->> 'head')::date + (open_rows -> act ->> 'wait')::int
              + least(6, (open_rows -> act ->> 'over')::int / greatest(1, (open_rows -> act ->> 'day')::int)), r.zone);
            open_rows := jsonb_set(open_rows, array[act, 'over'], to_jsonb((open_rows -> act ->> 'over')::int + 1));
            exit;
          end if;
        end loop;
      end if;
      if why is null then
        foreach act in array r.budgets loop
          left_units := jsonb_set(left_units, array[act], to_jsonb((left_units ->> act)::int - 1));
        end loop;
        n := app.next_slot(p, p_now, r.heavy);
        if n.slot <= p_now then
          p := n.after;
          won := won || r."sendId";
          companies := companies || jsonb_build_object(r.company_key, coalesce((companies ->> r.company_key)::int, 0) + 1);
        else
          why := 'pacing';
          n := app.next_slot(coalesce(v, p), p_now, r.heavy);
          v := n.after;
          whenat := n.slot;
        end if;
      end if;
      if why is not null then
        out_run := out_run || r."runId";
        out_why := out_why || why;
        out_at := out_at || whenat;
      end if;
    end loop;
    if open_account is not null then states := states || p; end if;
    update account_pacing x set heavy_free_at = s.heavy_free_at, light_free_at = s.light_free_at, session_ends_at = s.session_ends_at, draws = s.draws
      from unnest(states) s where s.account_id = x.account_id and s.draws <> x.draws;
    return query select * from app.take_sends(ws, p_now, p_requests, won);
    return query select u.run_id, false, u.why, u.at from unnest(out_run, out_why, out_at) as u (run_id, why, at);
  end $$;

-- Second half of a claim: keys, contact claims, rows and units for the requests that won a slot. A key lost to a merge of
-- persons or to another workspace between the check and here is answered as already sent.
create function app.take_sends(p_workspace text, p_now bigint, p_requests jsonb, p_won uuid[]) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    keyed uuid[];
    taken uuid[];
    x record;
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
        select q.scope_key, q.person_id, p_workspace, q."runId", p_now from q
        where not exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null)
        order by q.person_id
        on conflict (scope_key, person_id) do update set workspace_id = excluded.workspace_id, run_id = excluded.run_id, released_at = null
          where c.run_id = excluded.run_id or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
        returning c.run_id
    )
    select coalesce(array_agg(q."sendId"), '{}') into taken from q
      where q."runId" in (select c.run_id from c)
         or exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null);
    delete from send_key where send_id = any (keyed) and not send_id = any (taken);
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch, body, target, budget_date, claimed_at)
      select q."sendId", p_workspace, u.workflow_id, u.campaign_id, u.id, q."nodeId", u.lead_id, u.person_id, q."accountId", q.action, q.budgets, k.key, 'claimed', app.claim_epoch(),
        q.body, coalesce(q.target, '{}'), (select b.head_date from account_budget b where b.account_id = q."accountId" and b.action = q.budgets[1]), p_now
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], body text, target jsonb)
        join run u on u.id = q."runId" join send_key k on k.send_id = q."sendId" where q."sendId" = any (taken);
    for x in
      select s.account_id, b.action, count(*)::int as units from send s cross join lateral unnest(s.budgets) as b (action) where s.id = any (taken) group by 1, 2 order by 1, 2
    loop
      update account_budget set used[1] = used[1] + x.units, reserved = reserved + x.units,
          by_workspace = jsonb_set(by_workspace, array[p_workspace], to_jsonb(coalesce((by_workspace ->> p_workspace)::int, 0) + x.units))
        where account_id = x.account_id and action = x.action;
    end loop;
    return query
      select q."runId", q."sendId" = any (taken), case when q."sendId" = any (taken) then null when q."sendId" = any (keyed) then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid) where q."sendId" = any (p_won);
  end $$;

-- Commits that these requests are about to be written. Checks stop, freeze, reply, suppression and epoch once more; what is
-- refused is cancelled and its units and key are returned.
create function app.dispatch_sends(p_now bigint, p_sends uuid[]) returns table (send_id uuid, dispatched boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    ids uuid[];
    whys text[];
    untils bigint[];
    gone uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- A reply locks the runs of its person first, so it is either seen here or comes after the request.
    perform 1 from run where id in (select s.run_id from send s where s.id = any (p_sends) and s.workspace_id = ws) order by id for no key update;
    perform 1 from send where id = any (p_sends) and workspace_id = ws order by id for update;
    select array_agg(j.id), array_agg(j.why), array_agg(j.until) into ids, whys, untils from (
      with s as (select * from send where id = any (p_sends) and workspace_id = ws),
      stops as (select d.*, t.reason, t.until from (select distinct campaign_id, workflow_id, account_id from s) d
        cross join lateral app.stop_of(ws, d.campaign_id, d.workflow_id, d.account_id, p_now) t),
      barred as (select b.lead_id from (select campaign_id, array_agg(lead_id) as leads from s group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) b)
      select s.id, t.until, case
        when s.state <> 'claimed' or s.epoch <> app.claim_epoch() or u.ended_at is not null or u.state = 'paused' or u.send_id is distinct from s.id then 'gone'
        when s.lead_id in (select lead_id from barred) then 'suppressed'
        when u.state = 'replied' or (coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
          and coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true)) then 'replied'
        when t.reason is not null then t.reason
        when exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) then 'send_freeze' end as why
      from s join run u on u.id = s.run_id join campaign c on c.id = s.campaign_id
        left join stops t on t.campaign_id = s.campaign_id and t.workflow_id = s.workflow_id and t.account_id = s.account_id) j;
    update send s set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp()
      from unnest(ids, whys) as x (id, why) where s.id = x.id and x.why is null;
    select array_agg(s.id) into gone from send s join unnest(ids, whys) as x (id, why) on x.id = s.id and x.why is not null where s.state = 'claimed';
    if gone is not null then
      perform app.cancel_sends(gone, p_now);
      update run set due_at = p_now where send_id = any (gone) and ended_at is null and state not in ('paused', 'replied');
    end if;
    perform app.log_contacts(p_now, (select array_agg(x.id) from unnest(ids, whys) as x (id, why) where x.why is null));
    return query select x.id, x.why is null, x.why, x.until from unnest(ids, whys, untils) as x (id, why, until);
  end $$;

-- Sends that were never dispatched are undone: state failed, outcome cancelled, units and keys back.
create function app.cancel_sends(p_sends uuid[], p_now bigint) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare undone uuid[];
  begin
    with u as (update send set state = 'failed', outcome = 'cancelled', settled_at = p_now
      where id = any (p_sends) and state in ('planned', 'claimed') returning id)
    select array_agg(id) into undone from u;
    if undone is not null then perform app.return_sends(undone); end if;
  end $$;

-- What a dispatched contact leaves behind, whatever its outcome: contact log, first and last send of the account, lead.
create function app.log_contacts(p_now bigint, p_sends uuid[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if p_sends is null then return; end if;
    insert into contact_log as g (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
      select s.person_id, s.workspace_id, s.campaign_id, s.workflow_id, min(s.account_id), p_now, count(*)::int
      from send s where s.id = any (p_sends) and app.is_heavy(s.action) group by 1, 2, 3, 4
      on conflict (person_id, workflow_id) do update set last_at = excluded.last_at, touches = g.touches + excluded.touches, account_id = excluded.account_id;
    update network_account a set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
      where a.id in (select s.account_id from send s where s.id = any (p_sends));
    insert into account_wake as w (account_id, due_at)
      select distinct s.account_id, p_now + 900000 from send s where s.id = any (p_sends) and app.is_heavy(s.action)
      on conflict (account_id) do update set due_at = excluded.due_at where w.due_at > excluded.due_at;
    insert into lead_overlay as o (workspace_id, lead_id, last_contacted_at)
      select distinct s.workspace_id, s.lead_id, p_now from send s where s.id = any (p_sends) and app.is_heavy(s.action)
      on conflict (workspace_id, lead_id) do update set last_contacted_at = excluded.last_contacted_at;
  end $$;

-- p_results: [{sendId, result: confirmed|failed|unknown, outcome, ref, error, evidence, lookupAfterMs, maybe, retryAt, target}].
-- outcome: the node's outcome that the run takes; null after a failure means that the step is tried again at retryAt.
create function app.settle_sends(p_now bigint, p_results jsonb) returns table (send_id uuid, run_id uuid, state text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    changed uuid[];
    failed uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run where id in (select s.run_id from send s join jsonb_to_recordset(p_results) as q ("sendId" uuid) on q."sendId" = s.id where s.workspace_id = ws) order by id for no key update;
    with u as (
      update send s set
          state = q.result, outcome = coalesce(q.outcome, s.outcome), error = coalesce(q.error, s.error), provider_ref = coalesce(q.ref, s.provider_ref),
          target = s.target || coalesce(q.target, '{}'), maybe = s.maybe or coalesce(q.maybe, false),
          settled_at = case when q.result = 'unknown' then s.settled_at else p_now end,
          lookup_after = case when q.result = 'unknown' then clock_timestamp() + make_interval(secs => coalesce(q."lookupAfterMs", 0) / 1000.0) end,
          evidence = s.evidence || coalesce(q.evidence, '[]')
        from jsonb_to_recordset(p_results)
          as q ("sendId" uuid, result text, outcome text, ref text, error text, evidence jsonb, "lookupAfterMs" float8, maybe boolean, target jsonb)
        where s.id = q."sendId" and s.workspace_id = ws and q.result in ('confirmed', 'failed', 'unknown')
          and (s.state in ('dispatched', 'unknown') or (s.state = 'claimed' and q.result = 'failed'))
          and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.state
    )
    select array_agg(id), array_agg(id) filter (where u.state = 'failed') into changed, failed from u;
    if changed is null then return; end if;
    if failed is not null then perform app.undo_contacts(failed); end if;
    perform app.keep_relations(p_now, changed);
    update account_budget b set reserved = greatest(0, b.reserved - x.units)
      from (select s.account_id, a.action, s.budget_date, count(*)::int as units from send s cross join lateral unnest(s.budgets) as a (action)
            where s.id = any (changed) and s.state = 'confirmed' group by 1, 2, 3) x
      where b.account_id = x.account_id and b.action = x.action and b.head_date = x.budget_date;
    update run r set
        wait_reason = case when s.state = 'unknown' and not s.maybe then 'unknown_outcome' else r.wait_reason end,
        due_at = case when s.state = 'unknown' and not s.maybe then p_now + 3600000 else coalesce(q."retryAt", p_now) end
      from send s join jsonb_to_recordset(p_results) as q ("sendId" uuid, "retryAt" bigint) on q."sendId" = s.id
      where s.id = any (changed) and r.id = s.run_id and r.send_id = s.id and r.ended_at is null and r.state <> 'paused';
    return query select s.id, s.run_id, s.state from send s where s.id = any (changed);
  end $$;

-- What a confirmed action says about the relation of account and person.
create function app.keep_relations(p_now bigint, p_sends uuid[]) returns void
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
    insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
      select distinct on (s.account_id, s.person_id) s.account_id, s.person_id, s.target ->> 'providerId',
        case s.action when 'connection_request' then 'pending' else 'none' end,
        case s.action when 'connection_request' then s.provider_ref end, case s.action when 'connection_request' then p_now end
      from send s where s.id = any (p_sends) and s.state = 'confirmed' order by s.account_id, s.person_id, s.claimed_at desc
      on conflict (account_id, person_id) do update set
        provider_id = coalesce(excluded.provider_id, r.provider_id),
        state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
        invitation_id = coalesce(excluded.invitation_id, r.invitation_id), requested_at = coalesce(excluded.requested_at, r.requested_at);
    update relation r set state = 'none', invitation_id = null, requested_at = null
      from send s where s.id = any (p_sends) and s.state = 'confirmed' and s.action = 'withdraw_request'
        and r.account_id = s.account_id and r.person_id = s.person_id and r.state = 'pending';
  $$;

-- A limit signal of the provider: the account rests until then.
create function app.cool_account(p_account text, p_until bigint) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not exists (select 1 from account_link l where l.account_id = p_account and l.workspace_id = app.workspace()) and app.account() is distinct from p_account then return; end if;
    update network_account set cooldown_until = greatest(coalesce(cooldown_until, 0), p_until) where id = p_account;
  end $$;

-- A proven failure returns units and key, and takes back what was logged as contact.
create function app.undo_contacts(p_sends uuid[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform app.return_sends(p_sends);
    update contact_log g set touches = g.touches - x.n
      from (select s.person_id, s.workflow_id, count(*)::int as n from send s
            where s.id = any (p_sends) and s.dispatched_at is not null and app.is_heavy(s.action) group by 1, 2) x
      where g.person_id = x.person_id and g.workflow_id = x.workflow_id;
    delete from contact_log where touches <= 0 and (person_id, workflow_id) in (select s.person_id, s.workflow_id from send s where s.id = any (p_sends));
  end $$;

-- After a takeover: what an older epoch claimed is undone, what it dispatched is of unknown outcome.
-- p_settle_ms: provider -> ms before a look-up may say "not found". Returns how many of each.
create function app.recover_sends(p_now bigint, p_first_lookup_ms int, out cancelled int, out unknown int)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    stale uuid[];
    lost uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select array_agg(id) into stale from send where workspace_id = ws and state in ('planned', 'claimed') and epoch < app.claim_epoch();
    cancelled := coalesce(cardinality(stale), 0);
    if stale is not null then
      perform app.cancel_sends(stale, p_now);
      update run set due_at = p_now where send_id = any (stale) and workspace_id = ws and ended_at is null;
    end if;
    with u as (
      update send set state = 'unknown', lookup_after = clock_timestamp() + make_interval(secs => p_first_lookup_ms / 1000.0),
          error = 'the executor ended between dispatch and answer',
          evidence = evidence || jsonb_build_array(jsonb_build_object('at', p_now, 'what', 'executor_lost', 'text', 'epoch ' || epoch || ' ended (killed or fenced) between dispatch and answer'))
        where workspace_id = ws and state = 'dispatched' and epoch < app.claim_epoch() returning id
    )
    select array_agg(id) into lost from u;
    unknown := coalesce(cardinality(lost), 0);
    if lost is not null then
      update run set wait_reason = 'unknown_outcome', due_at = p_now + 3600000 where send_id = any (lost) and workspace_id = ws and ended_at is null;
    end if;
  end $$;

do $$
declare f text;
begin
  foreach f in array array['flow_stop(text, text, text)', 'stop_of(text, text, text, text, bigint)', 'claim_sends(bigint, jsonb)', 'take_sends(text, bigint, jsonb, uuid[])', 'dispatch_sends(bigint, uuid[])',
    'cancel_sends(uuid[], bigint)', 'log_contacts(bigint, uuid[])', 'settle_sends(bigint, jsonb)', 'undo_contacts(uuid[])', 'keep_relations(bigint, uuid[])',
    'cool_account(text, bigint)', 'recover_sends(bigint, int)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.claim_epoch(), app.is_heavy(text) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.claim_sends(bigint, jsonb), app.dispatch_sends(bigint, uuid[]), app.settle_sends(bigint, jsonb), app.recover_sends(bigint, int),
  app.cool_account(text, bigint) to outrider_executor;
