-- Takes send keys, contact claims, units of budgets and promised moments of these wishes, and makes their sends: claimed, or dispatched where
-- `at_once`. Returns a row per wish: granted, or refusal already_sent (the key is taken) or claim_held_elsewhere; next_at is null. For
-- app.claim_sends, which has judged everything else and holds account_pacing and account_budget. p_now: epoch ms, product time. Locks: send keys,
-- then contact claims, in their order.
create or replace function app.take_wishes(p_workspace text, p_now bigint, p_wishes app.send_wish[])
  returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_bitmapscan = off set enable_sort = on set enable_material = on
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
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state,
      epoch, body, target, budget_date, claimed_at, dispatched_at, dispatched_real)
      select w.send_id, p_workspace, w.workflow_id, w.campaign_id, w.run_id, w.node_id, w.lead_id, w.person_id, w.account_id, w.action, w.budgets,
        w.send_key, case when w.at_once then 'dispatched' else 'claimed' end, own_epoch,
        w.body, coalesce(w.target, '{}'), w.budget_date, p_now, case when w.at_once then p_now end, case when w.at_once then clock_timestamp() end
        from unnest(kept) w;
    perform app.note_quiet_actions(p_now, array(select distinct w.account_id from unnest(kept) w where w.at_once));
    update account_budget b set used[1] = b.used[1] + x.units, last_at = case when x.acts then p_now else b.last_at end,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select w.account_id, u.action, count(*)::int as units, bool_or(w.at_once) as acts from unnest(kept) w
        cross join lateral unnest(w.budgets) as u (action) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    if exists (select 1 from unnest(kept) w where w.slot_id) then
      with done as (
        -- A few seconds do not move the rest of the day.
        update account_slot s set acted = true, at = case when s.at < p_now - 5000 then p_now else s.at end,
            free_at = case when s.at < p_now - 5000 then s.free_at - s.at + p_now else s.free_at end
          from unnest(kept) w where s.run_id = w.run_id and not s.acted returning s.account_id, s.heavy, s.free_at
      )
      update account_pacing x set heavy_free_at = greatest(x.heavy_free_at, d.heavy_at), light_free_at = greatest(x.light_free_at, d.light_at)
        from (select account_id, coalesce(max(free_at) filter (where heavy), 0) as heavy_at,
          coalesce(max(free_at) filter (where not heavy), 0) as light_at from done group by 1) d
        where x.account_id = d.account_id;
    end if;
    if cardinality(taken) = cardinality(p_wishes) then
      return query select w.run_id, true, null::text, null::bigint from unnest(p_wishes) w;
      return;
    end if;
    return query
      select w.run_id, t.send_id is not null,
        case when t.send_id is not null then null when k.send_id is not null then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from unnest(p_wishes) w left join unnest(keyed) as k (send_id) on k.send_id = w.send_id left join unnest(taken) as t (send_id) on t.send_id = w.send_id;
  end $$;

alter function app.take_wishes(text, bigint, app.send_wish[]) owner to outrider_definer;
revoke execute on function app.take_wishes(text, bigint, app.send_wish[]) from public;
