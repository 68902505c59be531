-- Calls whose run ended meanwhile were taken over with every new epoch, for ever; and a call's run is found by its own id,
-- since no index knows which run waits for which call.
set local search_path = outrider, app, public;

-- The last check before the request leaves. What may not go is cancelled: its key and its credits are back.
create or replace function app.dispatch_calls(p_now bigint, p_calls uuid[]) returns table (call_id uuid, dispatched boolean, sequence bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    c record;
    u record;
    s record;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run x where x.id in (select n.run_id from node_call n where n.id = any (p_calls) and n.workspace_id = ws) order by x.id for no key update;
    for c in select * from node_call n where n.id = any (p_calls) and n.workspace_id = ws order by n.id for update loop
      call_id := c.id; dispatched := false; sequence := c.sequence;
      select * into u from run x where x.id = c.run_id;
      select * into s from app.call_stop(ws, c.campaign_id, c.workflow_id, c.run_id, c.lead_id, c.outward, p_now);
      if c.state = 'claimed' and c.epoch = app.claim_epoch() and u.send_id = c.id and u.ended_at is null and u.state not in ('paused', 'replied') and s.reason is null then
        if c.outward = 'webhook' and c.sequence is null then
          insert into webhook_sequence as w (workspace_id, last) values (ws, 1)
            on conflict (workspace_id) do update set last = w.last + 1 returning w.last into sequence;
        end if;
        update node_call n set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp(), sequence = dispatch_calls.sequence where n.id = c.id;
        dispatched := true;
      elsif c.state = 'claimed' then
        if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'cancelled before the call'); end if;
        update node_call n set state = 'settled', outcome = 'cancelled', once_key = null, settled_at = p_now where n.id = c.id;
        update run x set due_at = p_now where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
      end if;
      return next;
    end loop;
  end $$;

-- What became of calls. p_results: [{callId, result, outcome, data, ref, error, credits, keepKey, retryAt, waitReason, settleAfterMs}].
-- result: settled; retry (proven that nothing was done; again at retryAt); unknown (a lost answer of a call that must not be
-- repeated blindly); not_found (a look-up of an unknown one: two that agree, after settleAfterMs of real time, prove it).
create or replace function app.settle_calls(p_now bigint, p_results jsonb) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    r record;
    c record;
    spent bigint;
    due bigint;
    changed int := 0;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run x where x.id in (select n.run_id from node_call n join jsonb_to_recordset(p_results) as q ("callId" uuid) on n.id = q."callId") order by x.id for no key update;
    for r in select * from jsonb_to_recordset(p_results) as q ("callId" uuid, result text, outcome text, data jsonb, ref text, error text, credits int,
        "keepKey" boolean, "retryAt" bigint, "waitReason" text, "settleAfterMs" float8) order by q."callId" loop
      select * into c from node_call n where n.id = r."callId" and n.workspace_id = ws and n.state <> 'settled' for update;
      continue when not found;
      changed := changed + 1;
      spent := 0;
      if r.result = 'settled' then
        if c.credit_hold_id is not null and coalesce(r.credits, 0) > 0 then
          select case when t.outcome in ('settled', 'seen') then t.spent else 0 end into spent from app.settle_hold(c.credit_hold_id, r.credits, p_now) t;
        elsif c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'nothing was delivered');
        end if;
        update node_call n set state = 'settled', outcome = r.outcome, result = coalesce(r.data, '{}'), ref = coalesce(r.ref, n.ref), error = r.error, credits = spent,
            settled_at = p_now, once_key = case when r.outcome = 'failed' and not coalesce(r."keepKey", false) then null else n.once_key end where n.id = c.id;
        due := p_now;
      elsif r.result = 'retry' then
        if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'tried again later'); end if;
        update node_call n set state = 'claimed', credit_hold_id = null, error = r.error where n.id = c.id;
        due := greatest(p_now + 1, coalesce(r."retryAt", p_now + 60000));
      elsif r.result = 'unknown' then
        update node_call n set state = 'unknown', not_found = 0, error = r.error where n.id = c.id;
        due := p_now + 60000;
      else
        update node_call n set not_found = n.not_found + case when n.dispatched_real + make_interval(secs => coalesce(r."settleAfterMs", 0) / 1000) <= clock_timestamp() then 1 else 0 end
          where n.id = c.id and n.state = 'unknown';
        update node_call n set state = 'claimed', epoch = app.claim_epoch(), not_found = 0 where n.id = c.id and n.not_found >= 2;
        due := case when found then p_now else p_now + 60000 end;
      end if;
      update run x set due_at = due, wait_reason = case when r.result in ('unknown', 'not_found') then 'unknown_outcome' else coalesce(r."waitReason", x.wait_reason) end
        where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
    end loop;
    return changed;
  end $$;

-- After a takeover: what older epochs left open. A question is asked again; a push whose answer is lost is
-- looked up. What no run waits for any more is cancelled, unless it may have left: then its key stays.
create or replace function app.recover_calls(p_now bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    c record;
    open int := 0;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    for c in select n.* from node_call n where n.workspace_id = ws and n.state in ('claimed', 'dispatched') and n.epoch < app.claim_epoch() order by n.id for update loop
      open := open + 1;
      if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'the executor ended'); end if;
      if (c.state = 'claimed' or c.repeatable) and not exists (select 1 from run x where x.id = c.run_id and x.send_id = c.id and x.ended_at is null) then
        update node_call n set credit_hold_id = null, state = 'settled', outcome = 'cancelled', once_key = null, settled_at = p_now where n.id = c.id;
        continue;
      end if;
      update node_call n set credit_hold_id = null, epoch = app.claim_epoch(),
          state = case when c.state = 'dispatched' and not c.repeatable then 'unknown' else 'claimed' end,
          error = 'the executor ended before the answer' where n.id = c.id;
      update run x set due_at = p_now where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
    end loop;
    return open;
  end $$;
