-- A harmless effect whose person the account knows and whose moment has come has nothing to wait for between its claim and its
-- dispatch: both are one commit. What is asked again before a dispatch has just been asked in the same transaction, under the
-- same locks. Whatever could do harm keeps its second look.
set local search_path = outrider, app, public;

alter type app.send_wish add attribute at_once boolean;   -- is dispatched with its claim

-- What does no harm when nobody can know whether it happened (HARMLESS in send-outcome.ts).
create function app.is_harmless(p_action text) returns boolean language sql immutable
  as $$ select p_action in ('profile_view', 'follow', 'like', 'endorse') $$;

-- What is kept of an action that reaches nobody: to the minute is enough.
create function app.note_quiet_actions(p_now bigint, p_accounts text[]) returns void
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on
  as $$
    update network_account a set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
      from (select unnest(p_accounts) as id order by 1) x
      where a.id = x.id and (a.first_send_at is null or a.last_action_at is null or a.last_action_at not between p_now - 60000 and p_now)
  $$;
alter function app.note_quiet_actions(bigint, text[]) owner to outrider_definer;
revoke execute on function app.note_quiet_actions(bigint, text[]) from public;
grant execute on function app.note_quiet_actions(bigint, text[]) to outrider_definer;
grant execute on function app.is_harmless(text) to outrider_app, outrider_executor, outrider_definer, outrider_owner;

create or replace function app.take_wishes(p_workspace text, p_now bigint, p_wishes app.send_wish[])
  returns table(run_id uuid, granted boolean, refusal text, next_at bigint) language plpgsql security definer set search_path = outrider, app, pg_catalog set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on set enable_material = on
  as $$
  #variable_conflict use_column
  declare
    keyed uuid[];
    taken uuid[];
    kept app.send_wish[] := p_wishes;
    own_epoch bigint := app.claim_epoch();
  begin
    with k as (
      insert into send_key (key, person_id, workspace_id, send_id, taken_at)
        select w.send_key, w.person_id, p_workspace, w.send_id, p_now from unnest(p_wishes) w order by w.send_key, w.ord
        on conflict do nothing returning send_id
    )
    select coalesce(array_agg(send_id), '{}') into keyed from k;
    taken := keyed;
    if cardinality(keyed) < cardinality(p_wishes) then
      select array_agg(w order by w.ord) into kept from unnest(p_wishes) w where w.send_id in (select unnest(keyed));
    end if;
    if exists (select 1 from unnest(p_wishes) w where not w.holds) then
      with q as materialized (select w.* from unnest(kept) w),
      c as (
        insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
          select distinct on (q.person_id, q.scope_key) q.scope_key, q.person_id, p_workspace, q.run_id, p_now from q where not q.holds
          order by q.person_id, q.scope_key, q.run_id
          on conflict (scope_key, person_id) do update set workspace_id = excluded.workspace_id, run_id = excluded.run_id, released_at = null
            where c.run_id = excluded.run_id or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
          returning c.run_id
      )
      select coalesce(array_agg(q.send_id), '{}') into taken from q where q.holds or q.run_id in (select c.run_id from c);
      if cardinality(taken) < cardinality(keyed) then
        delete from send_key where send_id = any (keyed) and not send_id = any (taken);
        select array_agg(w order by w.ord) into kept from unnest(kept) w where w.send_id in (select unnest(taken));
      end if;
    end if;
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch, body, target, budget_date, claimed_at, dispatched_at, dispatched_real)
      select w.send_id, p_workspace, w.workflow_id, w.campaign_id, w.run_id, w.node_id, w.lead_id, w.person_id, w.account_id, w.action, w.budgets, w.send_key, case when w.at_once then 'dispatched' else 'claimed' end, own_epoch,
        w.body, coalesce(w.target, '{}'), w.budget_date, p_now, case when w.at_once then p_now end, case when w.at_once then clock_timestamp() end from unnest(kept) w;
    perform app.note_quiet_actions(p_now, array(select distinct w.account_id from unnest(kept) w where w.at_once));
    update account_budget b set used[1] = b.used[1] + x.units,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select w.account_id, u.action, count(*)::int as units from unnest(kept) w cross join lateral unnest(w.budgets) as u (action) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    if exists (select 1 from unnest(p_wishes) w where w.slot_id) then
      with done as (
        -- A few seconds do not move the rest of the day.
        update account_slot s set acted = true, at = case when s.at < p_now - 5000 then p_now else s.at end,
            free_at = case when s.at < p_now - 5000 then s.free_at - s.at + p_now else s.free_at end
          from unnest(p_wishes) w where s.run_id = w.run_id and not s.acted returning s.account_id, s.heavy, s.free_at
      )
      update account_pacing x set heavy_free_at = greatest(x.heavy_free_at, d.heavy_at), light_free_at = greatest(x.light_free_at, d.light_at)
        from (select account_id, coalesce(max(free_at) filter (where heavy), 0) as heavy_at, coalesce(max(free_at) filter (where not heavy), 0) as light_at from done group by 1) d
        where x.account_id = d.account_id;
    end if;
    if cardinality(taken) = cardinality(p_wishes) then
      return query select w.run_id, true, null::text, null::bigint from unnest(p_wishes) w;
      return;
    end if;
    return query
      select w.run_id, t.send_id is not null, case when t.send_id is not null then null when k.send_id is not null then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from unnest(p_wishes) w left join unnest(keyed) as k (send_id) on k.send_id = w.send_id left join unnest(taken) as t (send_id) on t.send_id = w.send_id;
  end $$;

create or replace function app.take_sends(p_workspace text, p_now bigint, p_requests jsonb, p_won uuid[])
  returns table(run_id uuid, granted boolean, refusal text, next_at bigint) language plpgsql security definer set search_path = outrider, app, pg_catalog
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
    update account_budget b set used[1] = b.used[1] + x.units,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select s.account_id, u.action, count(*)::int as units from send s cross join lateral unnest(s.budgets) as u (action)
            where s.id = any (taken) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    perform app.note_quiet_actions(p_now, array(select distinct s.account_id from send s where s.id = any (taken) and s.state = 'dispatched'));
    return query
      select q."runId", q."sendId" = any (taken), case when q."sendId" = any (taken) then null when q."sendId" = any (keyed) then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid) where q."sendId" = any (p_won);
  end $$;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.claim_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'target jsonb, "notBefore" bigint)', 'target jsonb, "notBefore" bigint, "atOnce" boolean)');
  after := replace(after, 'g.holds, g.slot_id)::app.send_wish', 'g.holds, g.slot_id, coalesce(g."atOnce", false) and app.is_harmless(g.action))::app.send_wish');
  if (select count(*) from regexp_matches(after, '"atOnce"', 'g')) <> 2 then raise exception 'app.claim_sends does not read as expected'; end if;
  execute after;
end $$;

-- Confirms dispatched sends that did no harm, and whose runs whoever settles goes on with by itself: nothing changes but the send,
-- and what the account knows of a person whom it met by it (`p_providers`, else null). Everything else is settled by app.settle_sends.
create function app.confirm_sends(p_now bigint, p_sends uuid[], p_outcomes text[], p_refs text[], p_providers text[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on
  as $$
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- Conditions that no index serves, so that the sends are found by their ids whatever the planner guesses of their states.
    with u as (
      update send s set state = 'confirmed', outcome = coalesce(q.outcome, s.outcome), provider_ref = coalesce(q.ref, s.provider_ref), settled_at = p_now, lookup_after = null,
          target = case when q.provider is null then s.target else s.target || jsonb_build_object('providerId', q.provider) end
        from unnest(p_sends, p_outcomes, p_refs, p_providers) as q (id, outcome, ref, provider)
        where s.id = q.id and (s.workspace_id = ws) is true and (s.state in ('dispatched', 'unknown')) is true
          and app.is_harmless(s.action) and s.dead_letter_state is distinct from 'discarded'
        returning s.account_id, s.person_id, s.claimed_at, q.provider
    )
    -- As app.settle_sends does.
    insert into relation as r (account_id, person_id, provider_id, state)
      select distinct on (u.account_id, u.person_id) u.account_id, u.person_id, u.provider, 'none' from u where u.provider is not null
      order by u.account_id, u.person_id, u.claimed_at desc
      on conflict (account_id, person_id) do update set provider_id = excluded.provider_id;
  end $$;
alter function app.confirm_sends(bigint, uuid[], text[], text[], text[]) owner to outrider_definer;
revoke execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) from public;
grant execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) to outrider_executor;

-- As before; the pace of an account is locked before the account itself, as claims do.
create or replace function app.log_contacts(p_now bigint, p_sends uuid[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if p_sends is null then return; end if;
    insert into contact_log as g (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
      select s.person_id, s.workspace_id, s.campaign_id, s.workflow_id, min(s.account_id), p_now, count(*)::int
      from send s where s.id = any (p_sends) and app.is_heavy(s.action) group by 1, 2, 3, 4
      on conflict (person_id, workflow_id) do update set last_at = excluded.last_at, touches = g.touches + excluded.touches, account_id = excluded.account_id;
    perform 1 from account_pacing where account_id in (select s.account_id from send s where s.id = any (p_sends) and s.action = 'mail') order by account_id for update;
    update account_pacing p set heavy_free_at = greatest(p.heavy_free_at, p_now + m.min_gap_ms)
      from mailbox m where m.account_id = p.account_id and p.account_id in (select s.account_id from send s where s.id = any (p_sends) and s.action = 'mail');
    perform 1 from network_account a where a.id in (select s.account_id from send s where s.id = any (p_sends)) order by a.id for no key update;
    update network_account a set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
      where a.id in (select s.account_id from send s where s.id = any (p_sends));
    insert into account_wake as w (account_id, due_at)
      select distinct s.account_id, p_now + 900000 from send s where s.id = any (p_sends) and app.is_heavy(s.action) order by 1
      on conflict (account_id) do update set due_at = excluded.due_at where w.due_at > excluded.due_at;
    insert into lead_overlay as o (workspace_id, lead_id, last_contacted_at)
      select distinct s.workspace_id, s.lead_id, p_now from send s where s.id = any (p_sends) and app.is_heavy(s.action)
      on conflict (workspace_id, lead_id) do update set last_contacted_at = excluded.last_contacted_at;
  end $$;

-- Which of these failed sends belong to accounts that nobody works on now; they are locked. What failed gives units back, for which
-- a batch that claims through the same account would have to be waited for, with a connection of two. Runs are locked before
-- accounts, as everybody does: also those of `p_others`, which are settled with them.
create function app.free_sends(p_failed uuid[], p_others uuid[]) returns setof uuid
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on
  as $$
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run where id in (select s.run_id from send s where s.id = any (p_failed || p_others) and (s.workspace_id = ws) is true) order by id for no key update;
    return query
      with k as materialized (select s.id, s.account_id from send s where s.id = any (p_failed) and (s.workspace_id = ws) is true),
      free as materialized (select p.account_id from account_pacing p where p.account_id = any (array(select distinct k.account_id from k)) order by p.account_id for update skip locked)
      select k.id from k where k.account_id in (select f.account_id from free f)
        or not exists (select 1 from account_pacing p where p.account_id = k.account_id);
  end $$;
alter function app.free_sends(uuid[], uuid[]) owner to outrider_definer;
revoke execute on function app.free_sends(uuid[], uuid[]) from public;
grant execute on function app.free_sends(uuid[], uuid[]) to outrider_executor;
