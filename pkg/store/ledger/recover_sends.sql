-- Undoes after a takeover what older epochs claimed (`cancelled`), and marks what they dispatched as unknown, to be
-- looked up (`unknown`; catalog: sendAttempt). What was made ready before it was due stays due when it was. What is
-- undone of actions asks again at once.
-- `p_now`: epoch ms UTC, product time. `p_first_lookup_ms`: real ms until the first look-up. OU001: the lease is
-- stale. Locks: runs, then actions, before accounts.
create or replace function app.recover_sends(
  p_now bigint, p_first_lookup_ms int, OUT cancelled int, OUT unknown int
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    ws text := app.workspace();
    stale uuid[];
    lost uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- Runs whose send an executor had settled when it ended, without going on with them. They come due within a
    -- minute of their claim.
    update run r
    set due_at = p_now
    from send s
    where r.id = any (
        array(
          select unnest(a.run_ids)
          from agenda a
          where a.workspace_id = ws and a.due_at > p_now and a.due_at <= p_now + 60000
        )
      )
      and r.due_at > p_now
      and r.due_at <= p_now + 60000
      and r.ended_at is null
      and r.state <> 'paused'
      and s.id = r.send_id
      and s.settled_at is not null
      and s.outcome is distinct from 'cancelled';
    -- It locks all runs before the accounts that get units back.
    perform 1
    from run
    where id in (
      select s.run_id
      from send s
      where s.id in (select o.send_id from open_send o where o.workspace_id = ws)
        and s.state in ('planned', 'claimed', 'dispatched')
        and s.epoch < app.claim_epoch()
    )
    order by id for no key update;
    perform 1
    from action
    where id in (
      select s.action_id
      from send s
      where s.id in (select o.send_id from open_send o where o.workspace_id = ws)
        and s.state in ('claimed', 'dispatched')
        and s.epoch < app.claim_epoch()
        and s.action_id is not null
    )
    order by id for no key update;
    select array_agg(id)
    into stale
    from send
    where id in (select o.send_id from open_send o where o.workspace_id = ws)
      and state in ('planned', 'claimed')
      and epoch < app.claim_epoch();
    cancelled := coalesce(cardinality(stale), 0);
    if stale is not null then
      perform app.cancel_sends(stale, p_now);
      update run r
      set due_at = greatest(p_now, least(s.claimed_at, p_now + 1000))
      from send s
      where s.id = any (stale)
        and r.id = s.run_id
        and r.send_id = s.id
        and r.ended_at is null
        and r.state not in ('paused', 'replied');
      perform app.follow_sends(p_now, stale, '[]');
    end if;
    with u as (
      update send
      set
        state = 'unknown',
        lookup_after = clock_timestamp() + make_interval(secs => p_first_lookup_ms / 1000.0),
        error = 'the executor ended between dispatch and answer',
        evidence = evidence || jsonb_build_array(
          jsonb_build_object(
            'at', p_now,
            'what', 'executor_lost',
            'text', 'epoch ' || epoch || ' ended (killed or fenced) between dispatch and answer'
          )
        )
      where id in (select o.send_id from open_send o where o.workspace_id = ws)
        and state = 'dispatched'
        and epoch < app.claim_epoch()
      returning id
    )
    select array_agg(id)
    into lost
    from u;
    unknown := coalesce(cardinality(lost), 0);
    if lost is not null then
      update run
      set wait_reason = 'unknown_outcome', due_at = p_now + 3600000
      where id in (select s.run_id from send s where s.id = any (lost))
        and send_id = any (lost)
        and ended_at is null
        and state not in ('paused', 'replied');
      perform app.follow_sends(p_now, lost, '[]');
    end if;
  end $$;

alter function app.recover_sends(bigint, int) owner to outrider_definer;
revoke execute on function app.recover_sends(bigint, int) from public;
grant execute on function app.recover_sends(bigint, int) to outrider_executor;
