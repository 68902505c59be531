-- Dequeues runs: locks up to p_limit runs of the lease's workspace that are due until p_until (epoch ms, product
-- time) and takes their entries out of the due index; the statement that moves a run puts it where it belongs.
-- Returns them, the longest due first. It waits for nobody.
-- p_busy (null: nobody): runs that it leaves. p_lane (0 or 1): it takes only runs of that lane's accounts. p_from: it
-- looks from that place on, and where that is not enough from the beginning after all, so that a dequeue which comes
-- back with less than it may take has looked everywhere. OU001: the lease is stale.
-- The order of its steps keeps runs from being lost:
-- 1. It deletes entries, and passes over one that is locked (another dequeue, a tool that rewrites it).
-- 2. It locks those of their runs that are due, as they are then, and passes over one that another transaction holds.
-- 3. It puts back into the due index what was named, is not locked and is due all the same as it is now: held by
--    others, busy, beyond the limit, of the other lane by now. The holder of such a run may move it and commit before
--    this, and its own entry is there; or after this, and the name that went back is one too many; or roll back, and
--    that name is the one that is needed. A run that is not due has another entry.
-- A rollback of this transaction undoes all of it together.
-- `app.agenda_taken` (a setting of the transaction) tells app.keep_agenda up to where this transaction took what it
-- could. A run that is moved from a place up to there stood in an entry that was taken, or in one that was passed
-- over, or (answered, and not dequeued here) in one that went back or that lies before where this looked: then its
-- name stays there, one too many. The setting is never less than the place of an entry that was taken, so that no run
-- is believed to stand in one that is gone.
create or replace function app.claim_due(p_until bigint, p_limit int, p_busy uuid[], p_lane int, p_from bigint)
  returns setof outrider.run
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    ws text := app.workspace();
    least_lane int := coalesce(p_lane, 0);
    most_lane int := coalesce(p_lane, 1);
    beginning constant bigint := '-9223372036854775808';
    since bigint := coalesce(p_from, beginning);
    -- The furthest place of an entry that was taken.
    reached bigint;
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
        select a.ctid as at, cardinality(a.run_ids) as runs
        from agenda a
        where a.workspace_id = ws
          and a.due_at >= since
          and a.due_at <= p_until
          and a.lane >= least_lane
          and a.lane <= most_lane
        order by a.due_at limit wanted for update skip locked
      ),
      enough as (
        select n.at
        from (select b.at, b.runs, sum(b.runs) over (rows unbounded preceding) as up_to from near_by b) n
        where n.up_to - n.runs < names
      ),
      cleared as (
        delete from agenda a
        where a.ctid = any (array(select e.at from enough e))
        returning a.due_at, a.run_ids
      )
      select
        (select count(*) from near_by),
        (select count(*) from cleared),
        (select max(c.due_at) from cleared c),
        array(select unnest(c.run_ids) from cleared c)
      into near, took, taken, ids;
      since := coalesce(taken, since);
      reached := greatest(reached, taken);
      named := named || ids;
      got := got || array(
        select r.id
        from run r
        where r.id = any (ids)
          and r.due_at <= p_until
          and (r.workspace_id = ws) is true
          and (p_lane is null or app.lane_of(r.account_id) = p_lane)
          and r.id not in (select unnest(p_busy))
        order by r.due_at, r.id limit missing for no key update skip locked
      );
      if took = near and near < wanted then
        exit when p_from is null;
        p_from := null;
        since := beginning;
        missing := p_limit - cardinality(got);
        wanted := (missing + 99) / 100;
        names := missing;
        continue;
      end if;
      -- It keeps no more than are missing from others, unless it could have none of those named: then it goes
      -- further, in longer and longer steps.
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
    perform set_config(
      'app.agenda_taken',
      greatest(reached, nullif(current_setting('app.agenda_taken', true), '')::bigint)::text,
      true
    );
    if cardinality(got) < cardinality(named) then
      insert into agenda (workspace_id, due_at, lane, run_ids)
      select ws, g.due_at, g.lane, g.ids[g.first : g.first + 99]
      from (
        select k.due_at, k.lane, k.ids, generate_series(1, cardinality(k.ids), 100) as first
        from (
          select r.due_at, app.lane_of(r.account_id) as lane, array_agg(r.id) as ids
          from run r
          where r.id = any (named)
            and r.due_at <= p_until
            and (r.workspace_id = ws) is true
            and r.id not in (select unnest(got))
          group by 1, 2
        ) k
      ) g;
    end if;
    return query select r.* from run r where r.id = any (got) order by r.due_at, r.id;
  end $$;

alter function app.claim_due(bigint, int, uuid[], int, bigint) owner to outrider_definer;
revoke execute on function app.claim_due(bigint, int, uuid[], int, bigint) from public;
grant execute on function app.claim_due(bigint, int, uuid[], int, bigint) to outrider_executor;
