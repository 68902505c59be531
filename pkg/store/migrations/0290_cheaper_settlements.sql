-- Dispatch and settlement of a batch, cheaper: each row is read once, an open send leaves its index only when it is settled,
-- and what did not change is not written again. Rules and states are those of before.
set local search_path = outrider, app, public;

-- The state stood in an index, so that every change of it made new entries in all indexes of the row.
drop index outrider.send_open;
create index send_open on outrider.send (workspace_id) where settled_at is null;
alter table outrider.send set (fillfactor = 60);
alter table outrider.network_account set (fillfactor = 70);
alter table outrider.account_budget set (fillfactor = 50);
alter table outrider.relation set (fillfactor = 80);

-- Each effect writes the row of its account; only an account that comes back wakes anybody.
drop trigger wake_on_release on outrider.network_account;
create trigger wake_on_release after update on outrider.network_account for each row
  when (new.status = 'ok' and not new.paused and (old.status <> 'ok' or old.paused)) execute function app.wake_on_release();

-- Written so that the planner can put them into the query that calls them.
create or replace function app.weekend_limit(p_day int, p_date date, p_pacing jsonb) returns int language sql immutable
  as $$
    select case when extract(isodow from p_date) < 6 or p_day <= 0 then p_day
      when coalesce((p_pacing ->> 'weekendFactor')::float8, 1) <= 0 then 0
      else greatest(1, floor(p_day * coalesce((p_pacing ->> 'weekendFactor')::float8, 1) + 1e-9))::int end
  $$;
create or replace function app.sum_of(p_used int[]) returns int language sql immutable
  as $$ select coalesce(p_used[1], 0) + coalesce(p_used[2], 0) + coalesce(p_used[3], 0) + coalesce(p_used[4], 0) + coalesce(p_used[5], 0) + coalesce(p_used[6], 0) + coalesce(p_used[7], 0) $$;

create or replace function app.dispatch_sends(p_now bigint, p_sends uuid[]) returns table (send_id uuid, dispatched boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    ids uuid[];
    whys text[];
    untils bigint[];
    gone uuid[];
    heavy_ids uuid[];
    quiet text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- A reply locks the runs of its person first, so it is either seen here or comes after the request. Whoever changes a
    -- claimed send of a live claim holds its run, so that the sends are locked without waiting.
    perform 1 from run where id in (select s.run_id from unnest(p_sends) as x (id) join send s on s.id = x.id where (s.workspace_id = ws) is true) order by id for no key update;
    select array_agg(j.id), array_agg(j.why), array_agg(j.until), array_agg(j.id) filter (where j.why is not null and j.state = 'claimed'),
        array_agg(j.id) filter (where j.why is null and app.is_heavy(j.action)), array_agg(distinct j.account_id) filter (where j.why is null and not app.is_heavy(j.action))
      into ids, whys, untils, gone, heavy_ids, quiet from (
      with s as materialized (select s.id, s.run_id, s.campaign_id, s.workflow_id, s.account_id, s.lead_id, s.state, s.epoch, s.action
          from unnest(p_sends) as x (id) join send s on s.id = x.id where (s.workspace_id = ws) is true for update of s),
      stops as materialized (select t.* from (select array_agg(campaign_id) as campaigns, array_agg(workflow_id) as workflows, array_agg(account_id) as accounts
          from (select distinct campaign_id, workflow_id, account_id from s) d) k
        cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t),
      barred as materialized (select b.lead_id from (select campaign_id, array_agg(lead_id) as leads from s group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) b),
      held as materialized (select h.id from hold h where h.kind = 'run')
      select s.id, s.state, s.action, s.account_id, t.until, case
        when s.state <> 'claimed' or s.epoch <> app.claim_epoch() or u.ended_at is not null or u.state = 'paused' or u.send_id is distinct from s.id then 'gone'
        when s.lead_id in (select lead_id from barred) then 'suppressed'
        when u.state = 'replied' or (coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
          and coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true)) then 'replied'
        when t.reason is not null then t.reason
        when u.id::text in (select id from held) then 'send_freeze' end as why
      from s join run u on u.id = s.run_id join campaign c on c.id = s.campaign_id
        left join stops t on t.campaign_id = s.campaign_id and t.workflow_id = s.workflow_id and t.account_id = s.account_id) j;
    update send s set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp()
      from unnest(ids, whys) as x (id, why) where s.id = x.id and x.why is null;
    if gone is not null then
      perform app.cancel_sends(gone, p_now);
      update run set due_at = p_now where id in (select s.run_id from send s where s.id = any (gone)) and send_id = any (gone)
        and ended_at is null and state not in ('paused', 'replied');
    end if;
    perform app.log_contacts(p_now, heavy_ids);
    update network_account a set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
      from (select unnest(quiet) as id order by 1) x
      -- To the minute is enough for what nobody is written to.
      where a.id = x.id and (a.first_send_at is null or a.last_action_at is null or a.last_action_at not between p_now - 60000 and p_now);
    return query select x.id, x.why is null, x.why, x.until from unnest(ids, whys, untils) as x (id, why, until);
  end $$;

-- p_results: [{sendId, result: confirmed|failed|unknown, outcome, ref, error, evidence, lookupAfterMs, maybe, retryAt, target}].
-- outcome: the node's outcome that the run takes; null after a failure means that the step is tried again at retryAt.
create or replace function app.settle_sends(p_now bigint, p_results jsonb) returns table (send_id uuid, run_id uuid, state text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    failed uuid[];
    withdrawn uuid[];
    ids uuid[];
    runs uuid[];
    states text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run where id in (select s.run_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true)
      order by id for no key update;
    -- What failed gives back first: it locks the accounts before their budgets, as everybody does.
    if p_results @? '$[*] ? (@.result == "failed")' then
      select array_agg(x.id) into failed from (
        select s.id from jsonb_to_recordset(p_results) as q ("sendId" uuid, result text) join send s on s.id = q."sendId"
        where q.result = 'failed' and (s.workspace_id = ws) is true and s.state in ('claimed', 'dispatched', 'unknown')
          and s.dead_letter_state is distinct from 'discarded' order by s.id for update of s) x;
      if failed is not null then
        perform 1 from account_pacing where account_id in (
          select s.account_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true) order by account_id for update;
        perform app.undo_contacts(failed);
      end if;
    end if;
    -- Conditions that no index serves, so that the sends are found by their ids whatever the planner guesses of their states.
    with u as (
      update send s set
          state = q.result, outcome = coalesce(q.outcome, s.outcome), error = coalesce(q.error, s.error), provider_ref = coalesce(q.ref, s.provider_ref),
          target = s.target || coalesce(q.target, '{}'), maybe = s.maybe or coalesce(q.maybe, false),
          settled_at = case when q.result = 'unknown' then s.settled_at else p_now end,
          lookup_after = case when q.result = 'unknown' then clock_timestamp() + make_interval(secs => coalesce(q."lookupAfterMs", 0) / 1000.0) end,
          evidence = s.evidence || coalesce(q.evidence, '[]')
        from jsonb_to_recordset(p_results)
          as q ("sendId" uuid, result text, outcome text, ref text, error text, evidence jsonb, "lookupAfterMs" float8, maybe boolean, target jsonb, "retryAt" bigint)
        where s.id = q."sendId" and (s.workspace_id = ws) is true and q.result in ('confirmed', 'failed', 'unknown')
          and (s.state in ('dispatched', 'unknown') or (s.state = 'claimed' and q.result = 'failed')) is true
          and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.run_id, s.state, s.maybe, s.action, s.account_id, s.person_id, s.budgets, s.budget_date, s.claimed_at, s.provider_ref, s.target ->> 'providerId' as provider_id, q."retryAt"
    ),
    -- As app.keep_relations; what a relation says already is not written again.
    known as (
      insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
        select distinct on (u.account_id, u.person_id) u.account_id, u.person_id, u.provider_id,
          case u.action when 'connection_request' then 'pending' else 'none' end,
          case u.action when 'connection_request' then u.provider_ref end, case u.action when 'connection_request' then p_now end
        from u where u.state = 'confirmed' and u.action <> 'withdraw_request'
          and (u.action = 'connection_request' or not exists (select 1 from relation o where o.account_id = u.account_id and o.person_id = u.person_id
            and (u.provider_id is null or o.provider_id = u.provider_id)))
        order by u.account_id, u.person_id, u.claimed_at desc
        on conflict (account_id, person_id) do update set
          provider_id = coalesce(excluded.provider_id, r.provider_id),
          state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
          invitation_id = coalesce(excluded.invitation_id, r.invitation_id), requested_at = coalesce(excluded.requested_at, r.requested_at)
    ),
    -- In the order of accounts and actions, as everybody locks budgets.
    spent as (
      update account_budget b set reserved = greatest(0, b.reserved - x.units)
        from (select u.account_id, a.action, u.budget_date, count(*)::int as units from u cross join lateral unnest(u.budgets) as a (action)
              where u.state = 'confirmed' group by 1, 2, 3 order by 1, 2) x
        where b.account_id = x.account_id and b.action = x.action and b.head_date = x.budget_date
    ),
    told as (
      update run r set
          wait_reason = case when u.state = 'unknown' and not u.maybe then 'unknown_outcome' else r.wait_reason end,
          due_at = case when u.state = 'unknown' and not u.maybe then p_now + 3600000 else coalesce(u."retryAt", p_now) end
        from u where r.id = u.run_id and r.send_id = u.id and r.ended_at is null and r.state <> 'paused'
    )
    select array_agg(u.id), array_agg(u.run_id), array_agg(u.state), array_agg(u.id) filter (where u.state = 'confirmed' and u.action = 'withdraw_request')
      into ids, runs, states, withdrawn from u;
    if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;
    return query select x.id, x.run_id, x.state from unnest(ids, runs, states) as x (id, run_id, state);
  end $$;

-- As before; open sends are found by their index, and their runs by the sends.
create or replace function app.recover_sends(p_now bigint, p_first_lookup_ms int, out cancelled int, out unknown int)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    stale uuid[];
    lost uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select array_agg(id) into stale from send where workspace_id = ws and settled_at is null and state in ('planned', 'claimed') and epoch < app.claim_epoch();
    cancelled := coalesce(cardinality(stale), 0);
    if stale is not null then
      perform app.cancel_sends(stale, p_now);
      update run set due_at = p_now where id in (select s.run_id from send s where s.id = any (stale)) and send_id = any (stale) and ended_at is null;
    end if;
    with u as (
      update send set state = 'unknown', lookup_after = clock_timestamp() + make_interval(secs => p_first_lookup_ms / 1000.0),
          error = 'the executor ended between dispatch and answer',
          evidence = evidence || jsonb_build_array(jsonb_build_object('at', p_now, 'what', 'executor_lost', 'text', 'epoch ' || epoch || ' ended (killed or fenced) between dispatch and answer'))
        where workspace_id = ws and settled_at is null and state = 'dispatched' and epoch < app.claim_epoch() returning id
    )
    select array_agg(id) into lost from u;
    unknown := coalesce(cardinality(lost), 0);
    if lost is not null then
      update run set wait_reason = 'unknown_outcome', due_at = p_now + 3600000
        where id in (select s.run_id from send s where s.id = any (lost)) and send_id = any (lost) and ended_at is null;
    end if;
  end $$;

-- As before, by the index of open sends.
create or replace function app.rest(p_now bigint, out next_due bigint, out unparked int, out open_sends int, out unknown_sends int, out next_lookup_ms float8)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    kept bigint;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    unparked := 0;
    if exists (select 1 from agenda where workspace_id = ws and due_at = app.parked_at()) then
      update run r set due_at = p_now
        from agenda a, (select w.id from workflow w where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null) f
        where a.workspace_id = ws and a.due_at = app.parked_at() and r.id = a.run_id
          and r.workflow_id = f.id and r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null and r.state <> 'paused'
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text)
          and not exists (select 1 from send_freeze z where z.channel in ('', 'network') and (z.until is null or z.until > p_now)
            and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws) or (z.scope = 'account' and z.target = r.account_id)));
      get diagnostics unparked = row_count;
    end if;
    select count(*) filter (where state in ('claimed', 'dispatched')), count(*) filter (where state = 'unknown' and not maybe),
        extract(epoch from min(lookup_after) filter (where state = 'unknown' and not maybe) - clock_timestamp()) * 1000
      into open_sends, unknown_sends, next_lookup_ms from send where workspace_id = ws and settled_at is null;
    next_due := app.next_due(ws);
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from next_due then return; end if;
    perform 1 from workspace_wake where workspace_id = ws for update;
    next_due := app.next_due(ws);
    if next_due is null then delete from workspace_wake where workspace_id = ws; return; end if;
    insert into workspace_wake (workspace_id, due_at, reason) values (ws, next_due, 'next')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason;
  end $$;

-- Rows of tables are found by index, whatever the planner knows of tables that grow by the minute; dispatch may hash what it
-- has gathered of its batch.
do $$
declare
  f text;
  path text;
begin
  foreach f in array array['dispatch_sends(bigint, uuid[])', 'settle_sends(bigint, jsonb)', 'note_relations(bigint, jsonb)', 'open_budgets(text, bigint, text[], text[])'] loop
    foreach path in array array['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'] loop
      execute format('alter function app.%s set enable_%s = off', f, path);
    end loop;
    foreach path in array array['sort', 'material'] loop
      execute format('alter function app.%s set enable_%s = on', f, path);
    end loop;
  end loop;
  alter function app.dispatch_sends(bigint, uuid[]) set enable_hashjoin = on;
end $$;
