-- The agenda holds groups. A batch judges all its runs at one instant, so most of them come due at one instant again: one row for
-- each cost a deletion and an insertion per step, and left a dead row that the next claims walked over.
--
-- What always holds: every run with a place (app.agenda_at is not null) stands in at least one entry of exactly that place. An entry
-- may also name runs that are not due then any more, or name one twice; that does no harm: whoever claims it looks at the runs and
-- drops such names. So a run comes into an entry with the statement that gives it its place, always; and whoever takes a name out has
-- either given the run another place, or seen that it has another one - whoever gives it this one again makes an entry for it.
-- Nobody waits for an entry: one that another transaction has locked is being claimed or rewritten, and is left as it is.
set local search_path = outrider, app, public;

-- Whoever writes runs has ended, or waits until the new agenda is kept.
lock table outrider.run in share row exclusive mode;
alter table outrider.agenda rename to agenda_of_runs;

create table outrider.agenda (
  workspace_id text not null,
  due_at bigint not null,
  lane smallint not null,                   -- of the runs' accounts, see app.lane_of
  run_ids uuid[] not null                   -- at most 100: as many as lie in the row itself
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- With the lane, so that the entries of the other one are passed over without being read.
create index agenda_due on outrider.agenda (workspace_id, due_at, lane);
-- Nobody looks for what is in it.
alter table outrider.agenda alter column run_ids set statistics 0;
alter table outrider.agenda enable row level security;
alter table outrider.agenda force row level security;
create policy owner_all on outrider.agenda to outrider_owner using (true) with check (true);
create policy definer_all on outrider.agenda to outrider_definer using (true) with check (true);
create policy app_visible on outrider.agenda for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.agenda for select to outrider_executor using (workspace_id = (select app.workspace()));
grant select on outrider.agenda to outrider_app, outrider_executor;
grant select, insert, update, delete on outrider.agenda to outrider_definer;

-- The lane whose claims take the runs of an account (claim-lane.ts has the same): by the last character of its id.
create function app.lane_of(p_account text) returns smallint language sql immutable
  as $$ select coalesce(ascii(right(p_account, 1)) % 2, 0)::smallint $$;
revoke execute on function app.lane_of(text) from public;
grant execute on function app.lane_of(text) to outrider_app, outrider_executor, outrider_definer, outrider_owner;

-- Transition tables have no statistics, and a plan is made for the first of them: joins by hash, whatever it was. The agenda by its index.
create or replace function app.keep_agenda() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = on set enable_nestloop = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off
  set plan_cache_mode = force_generic_plan
  as $$
  declare
    -- Entries up to here were taken by this transaction's claim already (app.claim_due): nothing is to be taken out of them.
    taken bigint := coalesce(nullif(current_setting('app.agenda_taken', true), ''), '-9223372036854775808')::bigint;
    moves boolean := false;
    same uuid[];
    gone record;
  begin
    if tg_op <> 'INSERT' then
      moves := exists (select 1 from old_rows o where app.agenda_at(o.due_at, o.wait_reason, o.ended_at) > taken);
    end if;
    if moves then
      if tg_op = 'UPDATE' then
        same := array(select o.id from old_rows o join new_rows n on n.id = o.id
          where app.agenda_at(o.due_at, o.wait_reason, o.ended_at) > taken
            and app.agenda_at(o.due_at, o.wait_reason, o.ended_at) = app.agenda_at(n.due_at, n.wait_reason, n.ended_at)
            and app.lane_of(o.account_id) = app.lane_of(n.account_id));
      end if;
      for gone in
        select o.workspace_id, array_agg(o.id) as ids, array_agg(o.place) as places
          from (select id, workspace_id, app.agenda_at(due_at, wait_reason, ended_at) as place from old_rows) o
          where o.place > taken and o.id not in (select unnest(same)) group by o.workspace_id
      loop
        with held as materialized (
          select a.ctid as at, a.due_at, a.lane, a.run_ids from agenda a
          where a.workspace_id = gone.workspace_id and a.due_at = any (gone.places)
            -- A few are compared one by one, many are looked up.
            and case when cardinality(gone.ids) < 8 then a.run_ids && gone.ids
              else exists (select 1 from unnest(a.run_ids) as x (id) where (x.id in (select unnest(gone.ids))) is true) end
          for update skip locked
        ),
        cleared as (delete from agenda where ctid = any (array(select at from held)))
        insert into agenda (workspace_id, due_at, lane, run_ids)
          select gone.workspace_id, l.due_at, l.lane, l.ids
          from (select h.due_at, h.lane, array(select x.id from unnest(h.run_ids) as x (id) where x.id not in (select unnest(gone.ids))) as ids from held h) l
          where cardinality(l.ids) > 0;
      end loop;
    end if;
    if tg_op = 'DELETE' then return null; end if;
    if tg_op = 'INSERT' then
      -- Sorted, so that one group at a time is in memory: an import may bring a million runs, each due at an instant of its own.
      insert into agenda (workspace_id, due_at, lane, run_ids)
        select g.workspace_id, g.place, g.lane, g.ids[g.first : g.first + 99]
        from (select k.workspace_id, k.place, k.lane, k.ids, generate_series(1, cardinality(k.ids), 100) as first
          from (select n.workspace_id, n.place, n.lane, array_agg(n.id order by n.id) as ids
            from (select id, workspace_id, app.agenda_at(due_at, wait_reason, ended_at) as place, app.lane_of(account_id) as lane from new_rows) n
            where n.place is not null
            group by n.workspace_id, n.place, n.lane) k) g;
      return null;
    end if;
    insert into agenda (workspace_id, due_at, lane, run_ids)
      select g.workspace_id, g.place, g.lane, g.ids[g.first : g.first + 99]
      from (select k.workspace_id, k.place, k.lane, k.ids, generate_series(1, cardinality(k.ids), 100) as first
        from (select n.workspace_id, n.place, n.lane, array_agg(n.id) as ids
          from (select id, workspace_id, app.agenda_at(due_at, wait_reason, ended_at) as place, app.lane_of(account_id) as lane from new_rows) n
          where n.place is not null and n.id not in (select unnest(same))
          group by n.workspace_id, n.place, n.lane) k) g;
    return null;
  end $$;

insert into outrider.agenda (workspace_id, due_at, lane, run_ids)
  select workspace_id, place, lane, array_agg(id order by id)
  from (select id, workspace_id, place, lane, (row_number() over (partition by workspace_id, place, lane order by id) - 1) / 100 as piece
    from (select id, workspace_id, app.agenda_at(due_at, wait_reason, ended_at) as place, app.lane_of(account_id) as lane from outrider.run) r
    where place is not null) p
  group by workspace_id, place, lane, piece;
drop table outrider.agenda_of_runs;

-- Locks up to `p_limit` runs that are due until `p_until`, the longest due first, and takes their entries out of the agenda: whoever moves
-- a run puts it where it belongs. `p_busy` are left; with `p_lane` only runs of its accounts are taken.
--
-- The order of its steps is what keeps runs from being lost:
-- 1. It deletes entries. One that is locked (another claim, a tool that rewrites it) is passed over.
-- 2. It locks those of their runs that are due, as they are then. One that another transaction holds is passed over.
-- 3. What was named, is not locked and is due all the same as it is now goes back into the agenda: held by others, busy, beyond the limit,
--    of the other lane by now. Who holds such a run may move it and commit before this, and its own entry is there; or after this, and the
--    name that went back is one too many; or roll back, and it is the one that is needed. A run that is not due has another entry.
-- All of it is undone together where this transaction is rolled back.
--
-- `app.agenda_taken` tells the trigger up to where this transaction took what it could. A run that is moved from a place up to there either
-- stood in an entry that was taken, or in one that was passed over, or (answered, and not claimed here) in one that went back: its name stays there,
-- one too many. It is never less than the place of an entry that was taken, so no run is believed to stand in one that is gone.
create function app.claim_due(p_until bigint, p_limit int, p_busy uuid[], p_lane int) returns setof outrider.run
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  set plan_cache_mode = force_generic_plan
  as $$
  declare
    ws text := app.workspace();
    least_lane int := coalesce(p_lane, 0);
    most_lane int := coalesce(p_lane, 1);
    since bigint := '-9223372036854775808'::bigint;
    -- As few as could be enough; where entries are small, more of them each time.
    wanted int := (p_limit + 99) / 100;
    missing int := p_limit;
    names int := p_limit;
    near int;
    took int;
    ids uuid[];
    named uuid[] := '{}';
    got uuid[] := '{}';
    taken bigint;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    while missing > 0 loop
      with near_by as materialized (
        select a.ctid as at, cardinality(a.run_ids) as runs from agenda a
        where a.workspace_id = ws and a.due_at >= since and a.due_at <= p_until and a.lane >= least_lane and a.lane <= most_lane
        order by a.due_at limit wanted for update skip locked
      ),
      enough as (select n.at from (select b.at, b.runs, sum(b.runs) over (rows unbounded preceding) as up_to from near_by b) n where n.up_to - n.runs < names),
      cleared as (delete from agenda a where a.ctid = any (array(select e.at from enough e)) returning a.due_at, a.run_ids)
      select (select count(*) from near_by), (select count(*) from cleared), (select max(c.due_at) from cleared c), array(select unnest(c.run_ids) from cleared c)
        into near, took, taken, ids;
      if took = 0 then exit; end if;
      since := taken;
      named := named || ids;
      got := got || array(
        select r.id from run r
        where r.id = any (ids) and r.due_at <= p_until and (r.workspace_id = ws) is true
          and app.lane_of(r.account_id) between least_lane and most_lane and r.id not in (select unnest(p_busy))
        order by r.due_at, r.id limit missing for no key update skip locked);
      if took = near and near < wanted then exit; end if;
      -- No more than are missing are kept from others, unless none of those named could be had: then further, in longer and longer steps.
      if p_limit - cardinality(got) = missing then
        wanted := least(wanted * 8, 10000);
        names := least(names * 8, 100000);
      else
        missing := p_limit - cardinality(got);
        wanted := least(wanted * 8, missing);
        names := missing;
      end if;
    end loop;
    if cardinality(named) = 0 then return; end if;
    perform set_config('app.agenda_taken', greatest(since, nullif(current_setting('app.agenda_taken', true), '')::bigint)::text, true);
    if cardinality(got) < cardinality(named) then
      insert into agenda (workspace_id, due_at, lane, run_ids)
        select ws, g.due_at, g.lane, g.ids[g.first : g.first + 99]
        from (select k.due_at, k.lane, k.ids, generate_series(1, cardinality(k.ids), 100) as first
          from (select r.due_at, app.lane_of(r.account_id) as lane, array_agg(r.id) as ids from run r
            where r.id = any (named) and r.due_at <= p_until and (r.workspace_id = ws) is true and r.id not in (select unnest(got))
            group by 1, 2) k) g;
    end if;
    return query select r.* from run r where r.id = any (got) order by r.due_at, r.id;
  end $$;
alter function app.claim_due(bigint, int, uuid[], int) owner to outrider_definer;
revoke execute on function app.claim_due(bigint, int, uuid[], int) from public;
grant execute on function app.claim_due(bigint, int, uuid[], int) to outrider_executor;

-- Exact: an entry whose runs have all gone elsewhere is passed over. There are few, and the first run of another one is enough.
create or replace function app.next_due(p_workspace text) returns bigint
  language sql volatile security definer set search_path = outrider, app, pg_catalog set enable_seqscan = off
  as $$
    select least((select a.due_at from agenda a where a.workspace_id = p_workspace and a.due_at < app.parked_at()
        and exists (select 1 from unnest(a.run_ids) as x (id) where (select r.due_at from run r where r.id = x.id) = a.due_at)
        order by a.due_at limit 1),
      (select min(s.next_at) from source_feed s join workflow w on w.id = s.workflow_id
       where s.workspace_id = p_workspace and app.flow_stop(p_workspace, w.campaign_id, w.id) is null))
  $$;

create or replace function app.rest(p_now bigint, out next_due bigint, out unparked int, out open_sends int, out unknown_sends int, out next_lookup_ms float8)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  declare
    ws text := app.workspace();
    kept bigint;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    unparked := 0;
    if exists (select 1 from agenda where workspace_id = ws and due_at = app.parked_at()) then
      -- No claim comes by the end of time: what names nobody who is parked any more is dropped here.
      delete from agenda where ctid = any (array(
        select a.ctid from agenda a where a.workspace_id = ws and a.due_at = app.parked_at()
          and not exists (select 1 from unnest(a.run_ids) as x (id)
            where (select app.agenda_at(r.due_at, r.wait_reason, r.ended_at) from run r where r.id = x.id) = app.parked_at())
        for update skip locked));
      update run r set due_at = p_now
        from (select w.id from workflow w where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null) f
        where r.id = any (array(select unnest(a.run_ids) from agenda a where a.workspace_id = ws and a.due_at = app.parked_at()))
          and r.workflow_id = f.id and r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null and r.state <> 'paused'
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text)
          and not exists (select 1 from send_freeze z where z.channel in ('', 'network') and (z.until is null or z.until > p_now)
            and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws) or (z.scope = 'account' and z.target = r.account_id)));
      get diagnostics unparked = row_count;
    end if;
    select count(*) filter (where state in ('claimed', 'dispatched')), count(*) filter (where state = 'unknown' and not maybe),
        extract(epoch from min(lookup_after) filter (where state = 'unknown' and not maybe) - clock_timestamp()) * 1000
      into open_sends, unknown_sends, next_lookup_ms from open_send o join send s on s.id = o.send_id where o.workspace_id = ws;
    next_due := app.next_due(ws);
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from next_due then return; end if;
    perform 1 from workspace_wake where workspace_id = ws for update;
    next_due := app.next_due(ws);
    if next_due is null then delete from workspace_wake where workspace_id = ws; return; end if;
    insert into workspace_wake (workspace_id, due_at, reason) values (ws, next_due, 'next')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason;
  end $$;

create or replace function app.recover_sends(p_now bigint, p_first_lookup_ms int, out cancelled int, out unknown int)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  declare
    ws text := app.workspace();
    stale uuid[];
    lost uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select array_agg(id) into stale from send where id in (select o.send_id from open_send o where o.workspace_id = ws) and state in ('planned', 'claimed') and epoch < app.claim_epoch();
    cancelled := coalesce(cardinality(stale), 0);
    if stale is not null then
      perform app.cancel_sends(stale, p_now);
      update run set due_at = p_now where id in (select s.run_id from send s where s.id = any (stale)) and send_id = any (stale) and ended_at is null;
    end if;
    with u as (
      update send set state = 'unknown', lookup_after = clock_timestamp() + make_interval(secs => p_first_lookup_ms / 1000.0),
          error = 'the executor ended between dispatch and answer',
          evidence = evidence || jsonb_build_array(jsonb_build_object('at', p_now, 'what', 'executor_lost', 'text', 'epoch ' || epoch || ' ended (killed or fenced) between dispatch and answer'))
        where id in (select o.send_id from open_send o where o.workspace_id = ws) and state = 'dispatched' and epoch < app.claim_epoch() returning id
    )
    select array_agg(id) into lost from u;
    unknown := coalesce(cardinality(lost), 0);
    if lost is not null then
      update run set wait_reason = 'unknown_outcome', due_at = p_now + 3600000
        where id in (select s.run_id from send s where s.id = any (lost)) and send_id = any (lost) and ended_at is null;
    end if;
    -- What an executor had settled and not gone on with when it ended. Such runs come due within a minute of their claim.
    update run r set due_at = p_now from send s
      where r.id = any (array(select unnest(a.run_ids) from agenda a where a.workspace_id = ws and a.due_at > p_now and a.due_at <= p_now + 60000))
        and r.due_at > p_now and r.due_at <= p_now + 60000 and r.ended_at is null and r.state <> 'paused'
        and s.id = r.send_id and s.settled_at is not null;
  end $$;
