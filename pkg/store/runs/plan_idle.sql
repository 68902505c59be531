-- Settles the rest of a workspace whose executor found nothing due. It lets parked runs go on whose stop is over,
-- some 5,000 a call (until a freeze that ends, where only that holds them), puts some 20,000 a call where they
-- belong, goes on with the walk over runs that wait for a released account (app.walk_released), and leaves in
-- `workspace_wake` the exact time at which the workspace is to be awake.
-- Runs that an account's freeze without an end holds stand in places of that account (`frozen_account`), at which it
-- does not look until nothing freezes it any more; so a look costs as much as there is that may go on, however many
-- are parked. It holds the wake before it reads the next time again: a transaction that makes work or ends a stop
-- meanwhile writes the same row, so that none of it is lost.
-- p_now: epoch ms, product time. p_kinds, p_actions: kinds of schedules and actions without a run that the executor
-- can do; where it can do none, sends of actions are none of its own. Null: all. `next_due`: as of app.own_work_due;
-- null: nothing at all. `unparked`: above 0 while there is more to look at now. `open_sends`: claimed or dispatched;
-- `unknown_sends`: of unknown outcome that counts and about which nobody decided; `next_lookup_ms`: real ms until the
-- first of those is to be looked up, null: none.
-- OU001: the lease is stale. Locks: entries of the due index and runs, then the wake.
create or replace function app.plan_idle(
  p_now bigint,
  p_kinds text[],
  p_actions text[],
  OUT next_due bigint,
  OUT unparked int,
  OUT open_sends int,
  OUT unknown_sends int,
  OUT next_lookup_ms double precision
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    ws text := app.workspace();
    -- The wake as it was found, and as it is once it is held.
    kept bigint;
    moved bigint;
    walks bigint;
    -- When somebody is to be awake, whatever this executor can do.
    wake_at bigint;
    -- Workflows that may go on, accounts that are frozen without an end.
    flows text[] := '{}';
    frozen text[];
    -- Accounts in whose places runs wait though nothing freezes them any more.
    thawed text[];
    ids uuid[];
    took int := 0;
    looked int := 0;
    taken text;
    held boolean;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    unparked := 0;
    if exists (select 1 from agenda where workspace_id = ws and due_at = app.parked_at()) then
      frozen := array(
        select z.target
        from send_freeze z
        where z.channel in ('', 'network') and z.until is null and z.scope = 'account'
      );
      if not exists (
        select 1
        from send_freeze z
        where z.channel in ('', 'network')
          and z.until is null
          and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws))
      ) then
        flows := array(
          select w.id
          from workflow w
          where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null
        );
      end if;
      -- One step along the index for each account that has a place.
      with recursive placed (account) as (
        select min(a.frozen_account)
        from agenda a
        where a.workspace_id = ws and a.frozen_account is not null
        union all
        select (
          select min(a.frozen_account)
          from agenda a
          where a.workspace_id = ws and a.frozen_account > p.account
        )
        from placed p
        where p.account is not null
      )
      select coalesce(array_agg(p.account), '{}')
      into thawed
      from placed p
      where p.account is not null and p.account <> all (frozen);
      for part in 1 .. 20 loop
        with released as materialized (
          select a.ctid as at
          from agenda a
          where a.workspace_id = ws and a.frozen_account = any (thawed)
          limit 50 for update skip locked
        ),
        looked as materialized (
          select a.ctid as at
          from agenda a
          where a.workspace_id = ws
            and a.due_at = app.parked_at()
            and a.lane = any (
              array[0::smallint, 1::smallint] || array(
                select app.parked_lane(w.id)
                from workflow w
                where w.workspace_id = ws and (w.id = any (flows) or w.deleted_at is not null)
              )
            )
            -- It also takes entries whose runs are not parked any more, since no dequeue comes to the end of time.
            and (a.lane < 2 or app.leaves_lane(a.run_ids, flows, frozen) is distinct from false)
          limit (select 50 - count(*) from released) for update skip locked
        ),
        cleared as (
          delete from agenda a
          where a.ctid = any (array(select l.at from released l union all select l.at from looked l))
          returning a.run_ids
        )
        select count(*), array(select unnest(c.run_ids) from cleared c)
        into took, ids
        from cleared;
        exit when took = 0;
        taken := coalesce(current_setting('app.agenda_taken', true), '');
        perform set_config('app.agenda_taken', app.parked_at()::text, true);
        update run r
        set due_at = greatest(
          p_now,
          (
            select max(z.until)
            from send_freeze z
            where z.channel in ('', 'network')
              and z.until > p_now
              and (
                z.scope = 'platform'
                or (z.scope = 'workspace' and z.target = ws)
                or (z.scope = 'account' and z.target = r.account_id)
              )
          )
        )
        where r.id = any (ids)
          and (r.workspace_id = ws) is true
          and (r.workflow_id = any (flows)) is true
          and r.due_at is null
          and r.wait_reason = 'send_freeze'
          and r.ended_at is null
          and r.state <> 'paused'
          and (r.account_id = any (frozen)) is not true
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text);
        get diagnostics unparked = row_count;
        perform set_config('app.agenda_taken', taken, true);
        insert into agenda (workspace_id, due_at, lane, run_ids, frozen_account)
        select ws, app.parked_at(), g.lane, g.ids[g.first : g.first + 99], g.frozen_account
        from (
          select
            k.lane,
            k.frozen_account,
            k.ids,
            generate_series(1, cardinality(k.ids), 100) as first
          from (
            select
              case
                when r.account_id = any (frozen) then -1::smallint
                else app.parked_lane(r.workflow_id)
              end as lane,
              case when r.account_id = any (frozen) then r.account_id end as frozen_account,
              array_agg(r.id) as ids
            from run r
            where r.id = any (ids)
              and (r.workspace_id = ws) is true
              and app.agenda_at(r.due_at, r.wait_reason, r.ended_at) = app.parked_at()
            group by 1, 2
          ) k
        ) g;
        looked := looked + cardinality(ids);
        exit when unparked > 0 or took < 50 or looked >= 20000;
      end loop;
      -- There is more than one look may take.
      if took = 50 then unparked := greatest(unparked, 1); end if;
    end if;
    if app.walk_released(ws) then
      unparked := greatest(unparked, 1);
      -- Should this executor end before it goes on, another is called.
      walks := p_now;
    end if;
    select
      count(*) filter (where state in ('claimed', 'dispatched')),
      count(*) filter (
        where state = 'unknown' and not maybe and dead_letter_state is distinct from 'discarded'
      ),
      extract(
        epoch from min(lookup_after) filter (where state = 'unknown' and not maybe) - clock_timestamp()
      ) * 1000
    into open_sends, unknown_sends, next_lookup_ms
    from open_send o
    cross join lateral (
      select x.state, x.maybe, x.dead_letter_state, x.lookup_after
      from send x
      where x.id = o.send_id and (x.action_id is null or p_actions is null or cardinality(p_actions) > 0)
      offset 0
    ) s
    where o.workspace_id = ws;
    next_due := least(app.work_due(ws, p_kinds, p_actions), walks);
    -- Of runs and sources both are the same: they are not looked up twice.
    wake_at := least(next_due, app.next_schedule(ws, null), app.next_action(ws, null));
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from wake_at then return; end if;
    select due_at into moved from workspace_wake where workspace_id = ws for update;
    held := found;
    next_due := least(app.work_due(ws, p_kinds, p_actions), walks);
    wake_at := least(next_due, app.next_schedule(ws, null), app.next_action(ws, null));
    -- The end of a stop may have brought it forward, and this looked at the runs parked for it before: it looks once
    -- more.
    if held and moved is distinct from kept then
      unparked := greatest(unparked, 1);
      next_due := least(next_due, moved);
      wake_at := least(wake_at, moved);
    end if;
    if wake_at is null then
      if held then delete from workspace_wake where workspace_id = ws; end if;
      return;
    end if;
    -- Where there was no row to hold, somebody may have made it since, for work that was not seen here.
    insert into workspace_wake as w (workspace_id, due_at, reason)
    values (ws, wake_at, 'next')
    on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason
      where held or w.due_at > excluded.due_at;
  end $$;

alter function app.plan_idle(bigint, text[], text[]) owner to outrider_definer;
revoke execute on function app.plan_idle(bigint, text[], text[]) from public;
grant execute on function app.plan_idle(bigint, text[], text[]) to outrider_executor, outrider_owner;
