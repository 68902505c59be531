-- Takes up after a takeover what older epochs left open. It asks a question again, has a push looked up whose answer
-- is lost, and lets a call wait on that waits for its next try. It cancels what no run waits for any more, unless it
-- may have left: then the key stays, and after a day without an answer the call is a dead letter.
-- Returns how many calls it took up. `p_now`: epoch ms UTC, product time. OU001: the lease is stale.
create or replace function app.recover_calls(p_now bigint) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    c record;
    open int := 0;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    for c in
      select n.*
      from node_call n
      where n.workspace_id = ws
        and n.state in ('claimed', 'dispatched')
        and n.epoch < app.claim_epoch()
        and not (
          n.retry_at is not null
          and exists (select 1 from run x where x.id = n.run_id and x.send_id = n.id and x.ended_at is null)
        )
      order by n.id for update
    loop
      open := open + 1;
      if c.credit_hold_id is not null then
        perform app.release_hold(c.credit_hold_id, p_now, 'the executor ended');
      end if;
      if (c.state = 'claimed' or c.repeatable)
        and not exists (select 1 from run x where x.id = c.run_id and x.send_id = c.id and x.ended_at is null)
      then
        update node_call n
        set
          credit_hold_id = null,
          state = 'settled',
          outcome = 'cancelled',
          once_key = null,
          settled_at = p_now
        where n.id = c.id;
        continue;
      end if;
      update node_call n
      set
        credit_hold_id = null,
        ended = n.ended + 1,
        epoch = app.claim_epoch(),
        state = case when c.state = 'dispatched' and not c.repeatable then 'unknown' else 'claimed' end,
        error = 'the executor ended before the answer'
      where n.id = c.id;
      update run x
      set due_at = greatest(p_now, least(c.claimed_at, p_now + 1000))
      where x.id = c.run_id
        and x.send_id = c.id
        and x.ended_at is null
        and x.state not in ('paused', 'replied');
    end loop;
    for c in
      select n.*
      from node_call n
      where n.workspace_id = ws
        and n.state = 'unknown'
        and n.dispatched_at < p_now - 86400000
        -- Also another run of the lead may wait for it.
        and not exists (
          select 1
          from run x
          where x.workspace_id = ws
            and x.lead_id = n.lead_id
            and x.send_id = n.id
            and x.ended_at is null
        )
      order by n.id for update
    loop
      open := open + 1;
      if c.credit_hold_id is not null then
        perform app.release_hold(c.credit_hold_id, p_now, 'its outcome did not become known');
      end if;
      update node_call n
      set
        state = 'settled',
        outcome = 'failed',
        credit_hold_id = null,
        settled_at = p_now,
        dead_letter_at = p_now,
        dead_letter_state = 'open',
        error = left(
          concat_ws('; ', nullif(n.error, ''), 'its run ended before anybody learnt what it did'),
          1000
        )
      where n.id = c.id;
    end loop;
    return open;
  end $$;

alter function app.recover_calls(bigint) owner to outrider_definer;
revoke execute on function app.recover_calls(bigint) from public;
grant execute on function app.recover_calls(bigint) to outrider_executor;
