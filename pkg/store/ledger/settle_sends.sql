-- Settles dispatched and unknown sends. It leaves those alone that were settled, or that a person discarded.
-- `p_now`: epoch ms UTC, product time. `p_results`: [{sendId, result: confirmed | failed | unknown, outcome: of the
-- node, null after a failure that is tried again, ref, error, evidence: [{at, what, text}], lookupAfterMs: real ms,
-- maybe, target: merged into the send's, retryAt: epoch ms, tries: failed ones with this, held: the caller goes on
-- with the run, dead: a person has to decide about it, keptUnits: units that stay spent, where a server took a mail for
-- some of its readers alone}]. failed is proven: it takes units, key and contact back (catalog: sendAttempt).
-- Returns what changed; `run_id` is null of an action's. OU001: the lease is stale. Locks: runs and actions by id,
-- sends that give units back, then account_pacing by account and budgets.
create or replace function app.settle_sends(p_now bigint, p_results jsonb)
  returns table (send_id uuid, run_id uuid, state text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    failed uuid[];
    partly uuid[];
    withdrawn uuid[];
    of_actions uuid[];
    ids uuid[];
    runs uuid[];
    states text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1
    from run
    where id in (
      select s.run_id
      from send s
      where s.id = any (array(select q."sendId" from jsonb_to_recordset(p_results) as q ("sendId" uuid)))
        and (s.workspace_id = ws) is true
    )
    order by id for no key update;
    perform 1
    from action
    where id in (
      select s.action_id
      from send s
      where s.id = any (array(select q."sendId" from jsonb_to_recordset(p_results) as q ("sendId" uuid)))
        and (s.workspace_id = ws) is true
        and s.action_id is not null
    )
    order by id for no key update;
    -- Sends that give back come first: that locks the accounts before their budgets, as everybody does.
    if p_results @? '$[*] ? (@.result == "failed" || @.keptUnits != null)' then
      select array_agg(x.id) filter (where x.result = 'failed'), array_agg(x.id) filter (where x.result = 'confirmed')
      into failed, partly
      from (
        select s.id, q.result
        from jsonb_to_recordset(p_results) as q ("sendId" uuid, result text, "keptUnits" int)
        join send s on s.id = q."sendId"
        where (q.result = 'failed' or q.result = 'confirmed' and q."keptUnits" is not null)
          and (s.workspace_id = ws) is true
          and (s.state in ('dispatched', 'unknown') or s.state = 'claimed' and q.result = 'failed')
          and s.dead_letter_state is distinct from 'discarded'
        order by s.id for update of s
      ) x;
      if failed is not null or partly is not null then
        perform 1
        from account_pacing
        where account_id = any (
          array(
            select distinct s.account_id
            from send s
            where s.id = any (coalesce(failed, '{}') || coalesce(partly, '{}'))
          )
        )
        order by account_id for update;
        update send s
        set kept_units = q."keptUnits"
        from jsonb_to_recordset(p_results) as q ("sendId" uuid, "keptUnits" int)
        where s.id = q."sendId"
          and q."keptUnits" is not null
          and s.id = any (coalesce(failed, '{}') || coalesce(partly, '{}'));
      end if;
      if partly is not null then perform app.return_units(partly); end if;
      if failed is not null then perform app.undo_contacts(failed); end if;
    end if;
    -- No index serves these conditions, so that the sends are found by their ids whatever the planner guesses of
    -- their states.
    with u as (
      update send s
      set
        state = q.result,
        outcome = coalesce(q.outcome, s.outcome),
        error = coalesce(q.error, s.error),
        provider_ref = coalesce(q.ref, s.provider_ref),
        target = s.target || coalesce(q.target, '{}'),
        maybe = s.maybe or coalesce(q.maybe, false),
        settled_at = case when q.result = 'unknown' then s.settled_at else p_now end,
        lookup_after = case
          when q.result = 'unknown'
            then clock_timestamp() + make_interval(secs => coalesce(q."lookupAfterMs", 0) / 1000.0)
        end,
        evidence = s.evidence || coalesce(q.evidence, '[]'),
        dead_letter_at = case when q.dead then coalesce(s.dead_letter_at, p_now) else s.dead_letter_at end,
        dead_letter_state = case
          when q.dead then 'open'
          when s.dead_letter_state = 'open' and (q.result <> 'unknown' or q.maybe) then 'resolved'
          else s.dead_letter_state
        end
      from jsonb_to_recordset(p_results) as q (
        "sendId" uuid, result text, outcome text, ref text, error text, evidence jsonb, "lookupAfterMs" float8,
        maybe boolean, target jsonb, "retryAt" bigint, tries int, held boolean, dead boolean
      )
      where s.id = q."sendId"
        and (s.workspace_id = ws) is true
        and q.result in ('confirmed', 'failed', 'unknown')
        and (s.state in ('dispatched', 'unknown') or (s.state = 'claimed' and q.result = 'failed')) is true
        and s.dead_letter_state is distinct from 'discarded'
      returning
        s.id,
        s.run_id,
        s.action_id,
        s.state,
        s.maybe,
        s.action,
        s.account_id,
        s.person_id,
        s.claimed_at,
        s.provider_ref,
        s.target ->> 'providerId' as provider_id,
        q."retryAt",
        q.tries,
        q.held
    ),
    -- As app.keep_relations does; it does not write again what a relation says already.
    known as (
      insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
      select distinct on (u.account_id, u.person_id)
        u.account_id,
        u.person_id,
        u.provider_id,
        case u.action when 'connection_request' then 'pending' else 'none' end,
        case u.action when 'connection_request' then u.provider_ref end,
        case u.action when 'connection_request' then p_now end
      from u
      where u.state = 'confirmed'
        and u.person_id is not null
        and u.action <> 'withdraw_request'
        and (
          u.action = 'connection_request'
          or not exists (
            select 1
            from relation o
            where o.account_id = u.account_id
              and o.person_id = u.person_id
              and (u.provider_id is null or o.provider_id = u.provider_id)
          )
        )
      order by u.account_id, u.person_id, u.claimed_at desc
      on conflict (account_id, person_id) do update set
        provider_id = coalesce(excluded.provider_id, r.provider_id),
        state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
        invitation_id = coalesce(excluded.invitation_id, r.invitation_id),
        requested_at = coalesce(excluded.requested_at, r.requested_at)
    ),
    told as (
      update run r
      set
        wait_reason = case
          when u.state = 'unknown' and not u.maybe then 'unknown_outcome'
          when u.tries is not null then 'account_unhealthy'
          else r.wait_reason
        end,
        due_at = case
          when u.state = 'unknown' and not u.maybe then p_now + 3600000
          else coalesce(u."retryAt", p_now)
        end
      from u
      where not (u.state = 'confirmed' and coalesce(u.held, false))
        and r.id = u.run_id
        and r.send_id = u.id
        and r.ended_at is null
        and r.state not in ('paused', 'replied')
    )
    select
      array_agg(u.id),
      array_agg(u.run_id),
      array_agg(u.state),
      array_agg(u.id) filter (where u.state = 'confirmed' and u.action = 'withdraw_request'),
      array_agg(u.id) filter (where u.action_id is not null)
    into ids, runs, states, withdrawn, of_actions
    from u;
    if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;
    if of_actions is not null then perform app.follow_sends(p_now, of_actions, p_results); end if;
    if failed is not null and p_results @? '$[*] ? (@.outcome == "not_connected")' then
      perform app.end_connections(failed);
    end if;
    if failed is not null then
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select
        ws,
        s.run_id,
        p_now,
        'run.blocked',
        s.node_id,
        'engine',
        '',
        jsonb_build_object('reason', 'account_unhealthy', 'error', s.error, 'tries', q.tries, 'sendId', s.id)
      from jsonb_to_recordset(p_results) as q ("sendId" uuid, tries int)
      join send s on s.id = q."sendId"
      where q.tries is not null and s.id = any (failed) and s.run_id is not null;
    end if;
    return query select x.id, x.run_id, x.state from unnest(ids, runs, states) as x (id, run_id, state);
  end $$;

alter function app.settle_sends(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.settle_sends(bigint, jsonb) from public;
grant execute on function app.settle_sends(bigint, jsonb) to outrider_executor;
