-- Trigger after each statement on `run`: keeps that a run with a place (app.agenda_at) stands in an entry of exactly
-- that place. It always brings a name in with the statement that gives the run its place, and takes it out where that
-- needs no waiting: it leaves an entry that another transaction holds, which is being dequeued or rewritten. So an
-- entry may name runs that are elsewhere by now, or one twice; a dequeue looks at the runs.
create or replace function app.keep_agenda() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  declare
    -- This transaction's dequeue took the entries up to here (app.claim_due): nothing is to be taken out of them.
    taken bigint := coalesce(
      nullif(current_setting('app.agenda_taken', true), ''),
      '-9223372036854775808'
    )::bigint;
    moves boolean := false;
    same uuid[];
    gone record;
  begin
    if tg_op <> 'INSERT' then
      moves := exists (
        select 1
        from old_rows o
        where app.agenda_at(o.due_at, o.wait_reason, o.ended_at) > taken
      );
    end if;
    if moves then
      if tg_op = 'UPDATE' then
        -- The first set has one row, and its plan is kept: a join would compare each row of later ones with each.
        same := array(
          select o.id
          from old_rows o
          where app.agenda_at(o.due_at, o.wait_reason, o.ended_at) > taken
            and (
              (
                o.id,
                app.agenda_at(o.due_at, o.wait_reason, o.ended_at),
                app.lane_of(o.account_id),
                -- A parked one may stand in a place of its account (app.rest).
                case
                  when app.agenda_at(o.due_at, o.wait_reason, o.ended_at) >= app.parked_at()
                    then coalesce(o.account_id, '')
                  else ''
                end
              ) in (
                select
                  n.id,
                  app.agenda_at(n.due_at, n.wait_reason, n.ended_at),
                  app.lane_of(n.account_id),
                  case
                    when app.agenda_at(n.due_at, n.wait_reason, n.ended_at) >= app.parked_at()
                      then coalesce(n.account_id, '')
                    else ''
                  end
                from new_rows n
              )
            ) is true
        );
      end if;
      for gone in
        select o.workspace_id, array_agg(o.id) as ids, array_agg(o.place) as places
        from (select id, workspace_id, app.agenda_at(due_at, wait_reason, ended_at) as place from old_rows) o
        where o.place > taken and o.id not in (select unnest(same))
        group by o.workspace_id
      loop
        with held as materialized (
          select a.ctid as at, a.due_at, a.lane, a.run_ids, a.frozen_account
          from agenda a
          where a.workspace_id = gone.workspace_id
            and a.due_at = any (gone.places)
            -- It compares a few one by one, and looks many up.
            and case
              when cardinality(gone.ids) < 8 then a.run_ids && gone.ids
              else exists (
                select 1
                from unnest(a.run_ids) as x (id)
                where (x.id in (select unnest(gone.ids))) is true
              )
            end
          for update skip locked
        ),
        cleared as (delete from agenda where ctid = any (array(select at from held)))
        insert into agenda (workspace_id, due_at, lane, run_ids, frozen_account)
        select gone.workspace_id, l.due_at, l.lane, l.ids, l.frozen_account
        from (
          select
            h.due_at,
            h.lane,
            h.frozen_account,
            array(
              select x.id
              from unnest(h.run_ids) as x (id)
              where x.id not in (select unnest(gone.ids))
            ) as ids
          from held h
        ) l
        where cardinality(l.ids) > 0;
      end loop;
    end if;
    if tg_op = 'DELETE' then return null; end if;
    if tg_op = 'INSERT' then
      -- The order keeps one group at a time in memory: an import may bring a million runs, each due at an instant of
      -- its own.
      insert into agenda (workspace_id, due_at, lane, run_ids)
      select g.workspace_id, g.place, g.lane, g.ids[g.first : g.first + 99]
      from (
        select
          k.workspace_id,
          k.place,
          k.lane,
          k.ids,
          generate_series(1, cardinality(k.ids), 100) as first
        from (
          select
            n.workspace_id,
            n.place,
            app.agenda_lane(n.place, n.account_id, n.workflow_id) as lane,
            array_agg(n.id order by n.id) as ids
          from (
            select
              id,
              workspace_id,
              app.agenda_at(due_at, wait_reason, ended_at) as place,
              account_id,
              workflow_id
            from new_rows
          ) n
          where n.place is not null
          group by 1, 2, 3
        ) k
      ) g;
      return null;
    end if;
    insert into agenda (workspace_id, due_at, lane, run_ids)
    select g.workspace_id, g.place, g.lane, g.ids[g.first : g.first + 99]
    from (
      select
        k.workspace_id,
        k.place,
        k.lane,
        k.ids,
        generate_series(1, cardinality(k.ids), 100) as first
      from (
        select
          n.workspace_id,
          n.place,
          app.agenda_lane(n.place, n.account_id, n.workflow_id) as lane,
          array_agg(n.id) as ids
        from (
          select
            id,
            workspace_id,
            app.agenda_at(due_at, wait_reason, ended_at) as place,
            account_id,
            workflow_id
          from new_rows
        ) n
        where n.place is not null and n.id not in (select unnest(same))
        group by 1, 2, 3
      ) k
    ) g;
    return null;
  end $$;

alter function app.keep_agenda() owner to outrider_definer;
revoke execute on function app.keep_agenda() from public;
grant execute on function app.keep_agenda() to outrider_owner;
