-- Checks stop, run and epoch once more before requests leave. It cancels what may not go: the key and the credits are
-- back, and the run is due.
-- `p_now`: epoch ms UTC, product time. `sequence`: of webhooks, rising per workspace; one that is delivered again
-- keeps its own. OU001: the lease is stale. Locks: runs by id, then calls by id.
create or replace function app.dispatch_calls(p_now bigint, p_calls uuid[])
  returns table (call_id uuid, dispatched boolean, sequence bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    c record;
    u record;
    s record;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1
    from run x
    where x.id in (select n.run_id from node_call n where n.id = any (p_calls) and n.workspace_id = ws)
    order by x.id for no key update;
    for c in
      select *
      from node_call n
      where n.id = any (p_calls) and n.workspace_id = ws
      order by n.id for update
    loop
      call_id := c.id;
      dispatched := false;
      sequence := c.sequence;
      select * into u from run x where x.id = c.run_id;
      select *
      into s
      from app.call_stop(ws, c.campaign_id, c.workflow_id, c.run_id, c.lead_id, c.outward, p_now);
      if c.state = 'claimed'
        and c.epoch = app.claim_epoch()
        and u.send_id = c.id
        and u.ended_at is null
        and u.state not in ('paused', 'replied')
        and s.reason is null
      then
        if c.outward = 'webhook' and c.sequence is null then
          insert into webhook_sequence as w (workspace_id, last)
          values (ws, 1)
          on conflict (workspace_id) do update set last = w.last + 1
          returning w.last
          into sequence;
        end if;
        update node_call n
        set
          state = 'dispatched',
          dispatched_at = p_now,
          dispatched_real = clock_timestamp(),
          sequence = dispatch_calls.sequence
        where n.id = c.id;
        dispatched := true;
      elsif c.state = 'claimed' then
        if c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'cancelled before the call');
        end if;
        update node_call n
        set
          state = 'settled',
          outcome = 'cancelled',
          once_key = null,
          settled_at = p_now
        where n.id = c.id;
        update run x
        set due_at = p_now
        where x.id = c.run_id
          and x.send_id = c.id
          and x.ended_at is null
          and x.state not in ('paused', 'replied');
      end if;
      return next;
    end loop;
  end $$;

alter function app.dispatch_calls(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.dispatch_calls(bigint, uuid[]) from public;
grant execute on function app.dispatch_calls(bigint, uuid[]) to outrider_executor;
