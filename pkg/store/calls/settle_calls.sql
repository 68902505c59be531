-- Settles calls of the lease's workspace, with their credits.
-- `p_now`: epoch ms UTC, product time. `p_results`: [{callId, result, outcome, data, ref, error, credits: for what
-- was delivered, at most what is held, keepKey: of a failed one whose effect nobody knows, retryAt: epoch ms,
-- waitReason, counts}].
-- result: settled; retry (proven that nothing was done; again at retryAt, else in a minute); unknown (the answer is
-- lost of a call that must not be repeated blindly); not_found (a look-up of an unknown one: two that agree and count
-- prove it, then the call is made again); dead_letter (given up: the key stays, a person decides).
-- Returns how many changed. OU001: the lease is stale. Locks: runs by id, calls by id, then the balance of credits.
create or replace function app.settle_calls(p_now bigint, p_results jsonb) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
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
    perform 1
    from run x
    where x.id in (
      select n.run_id
      from node_call n
      join jsonb_to_recordset(p_results) as q ("callId" uuid) on n.id = q."callId"
      where n.workspace_id = ws
    )
    order by x.id for no key update;
    for r in
      select *
      from jsonb_to_recordset(p_results) as q (
        "callId" uuid, result text, outcome text, data jsonb, ref text, error text, credits int,
        "keepKey" boolean, "retryAt" bigint, "waitReason" text, counts boolean
      )
      order by q."callId"
    loop
      select *
      into c
      from node_call n
      where n.id = r."callId" and n.workspace_id = ws and n.state <> 'settled'
      for update;
      continue when not found;
      changed := changed + 1;
      spent := 0;
      if r.result = 'settled' then
        if c.credit_hold_id is not null and coalesce(r.credits, 0) > 0 then
          select case when t.outcome in ('settled', 'seen') then t.spent else 0 end
          into spent
          from app.settle_hold(c.credit_hold_id, r.credits, p_now) t;
        elsif c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'nothing was delivered');
        end if;
        update node_call n
        set
          state = 'settled',
          outcome = r.outcome,
          result = coalesce(r.data, '{}'),
          ref = coalesce(r.ref, n.ref),
          error = r.error,
          credits = spent,
          settled_at = p_now,
          once_key = case
            when r.outcome = 'failed' and not coalesce(r."keepKey", false) then null
            else n.once_key
          end
        where n.id = c.id;
        due := p_now;
      elsif r.result = 'dead_letter' then
        -- Nobody learnt what the call did: the run goes on, the key stays, and a person has to decide.
        if c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'its outcome did not become known');
        end if;
        update node_call n
        set
          state = 'settled',
          outcome = r.outcome,
          credit_hold_id = null,
          settled_at = p_now,
          dead_letter_at = p_now,
          dead_letter_state = 'open',
          error = left(concat_ws('; ', nullif(n.error, ''), r.error), 1000)
        where n.id = c.id;
        due := p_now;
      elsif r.result = 'retry' then
        if c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'tried again later');
        end if;
        update node_call n
        set
          state = 'claimed',
          credit_hold_id = null,
          error = r.error,
          retry_at = greatest(p_now + 1, coalesce(r."retryAt", p_now + 60000))
        where n.id = c.id;
        due := greatest(p_now + 1, coalesce(r."retryAt", p_now + 60000));
      elsif r.result = 'unknown' then
        -- The fault that made it unknown stays; an error of a look-up does not replace it.
        update node_call n
        set
          state = 'unknown',
          not_found = 0,
          error = case when c.state = 'unknown' then coalesce(n.error, r.error) else r.error end
        where n.id = c.id;
        due := p_now + 60000;
      else
        update node_call n
        set not_found = n.not_found + case when r.counts then 1 else 0 end
        where n.id = c.id and n.state = 'unknown';
        update node_call n
        set state = 'claimed', epoch = app.claim_epoch(), not_found = 0
        where n.id = c.id and n.not_found >= 2;
        due := case when found then p_now else p_now + 60000 end;
      end if;
      update run x
      set
        due_at = due,
        wait_reason = case
          when r.result in ('unknown', 'not_found') then 'unknown_outcome'
          else coalesce(r."waitReason", x.wait_reason)
        end
      where x.id = c.run_id
        and x.send_id = c.id
        and x.ended_at is null
        and x.state not in ('paused', 'replied');
    end loop;
    return changed;
  end $$;

alter function app.settle_calls(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.settle_calls(bigint, jsonb) from public;
grant execute on function app.settle_calls(bigint, jsonb) to outrider_executor;
