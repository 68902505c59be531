-- Numbers what was committed since, at most p_limit events, and returns how many. One caller at a time: another one
-- gets 0 and leaves. Per workspace it numbers in the order in which places were drawn, among those that it sees
-- together; what is committed later comes later. Lines of plain steps get no number where nobody follows them.
-- The floor: up to there everything is numbered. A mark is a place that was drawn, with an id that was given to a
-- transaction afterwards: this one's own, so it must not have one yet (the xmax of a snapshot does not do, since
-- transactions run beyond it). Once no transaction below that id runs any more, nothing can be committed below the
-- mark, the floor rises to it, and the next mark is set.
-- After a restore into another cluster transaction ids begin anew: a mark from the future is set again, and
-- waits for one more round.
-- Locks: the numberer's row (skipped when held). At rest it only reads.
create or replace function app.number_events(p_limit int) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
  declare
    state record;
    numbered int;
    -- where somebody follows plain steps
    stepping text[];
    drawn bigint;
    free xid8;
    oldest xid8;
  begin
    if pg_current_xact_id_if_assigned() is not null then
      raise exception 'number_events needs a transaction of its own';
    end if;
    -- In this order: places first, then the id, then what is seen. The statement below sees at least as much.
    select case when s.is_called then s.last_value else 0 end into drawn from run_event_order s;
    if not exists (select 1 from event_numberer x where x.floor_seq < drawn) then return 0; end if;
    select * into state from event_numberer for update skip locked;
    if not found then return 0; end if;
    free := pg_current_xact_id();
    oldest := pg_snapshot_xmin(pg_current_snapshot());
    stepping := array(
      select i.workspace_id from integration i where i.deleted_at is null and 'run.step_done' = any (i.events)
    );
    with fresh as materialized (
      select e.workspace_id, e.seq, e.at, e.kind
      from run_event e
      where e.seq > state.floor_seq
        and (e.kind <> 'run.step_done' or e.workspace_id = any (stepping))
        and not exists (select 1 from event_number n where n.seq = e.seq)
      order by e.seq
      limit p_limit
    ),
    heads as (
      insert into event_head as h (workspace_id, last)
      select f.workspace_id, count(*)
      from fresh f
      group by f.workspace_id
      order by f.workspace_id
      on conflict (workspace_id) do update set last = h.last + excluded.last
      returning h.workspace_id, h.last
    ),
    told as (
      insert into event_number (workspace_id, number, seq, at, kind)
      select
        f.workspace_id,
        h.last + 1 - row_number() over (partition by f.workspace_id order by f.seq desc),
        f.seq,
        f.at,
        f.kind
      from fresh f
      join heads h using (workspace_id)
      order by f.workspace_id, f.seq
      returning 1
    )
    select count(*) into numbered from told;
    if numbered = p_limit then return numbered; end if;
    -- All that was seen is numbered. Was everything below the mark to be seen?
    if oldest >= state.mark_xid or state.mark_xid > free then
      update event_numberer
      set
        floor_seq = case when oldest >= state.mark_xid then greatest(floor_seq, state.mark_seq) else floor_seq end,
        mark_seq = drawn,
        mark_xid = free
      where drawn > state.mark_seq or floor_seq < state.mark_seq or state.mark_xid > free;
    end if;
    return numbered;
  end $$;

alter function app.number_events(int) owner to outrider_definer;
revoke execute on function app.number_events(int) from public;
grant execute on function app.number_events(int) to outrider_app;
