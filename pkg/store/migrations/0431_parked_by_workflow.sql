-- Who is parked (its workflow, campaign or workspace was stopped, or a freeze has no end yet) was read in full once a second to see whether it may
-- go on: beside a paused campaign of 90,000 leads each look took five seconds, and when the campaign was resumed all of them went on in one
-- statement, which of some hundred thousand was ended by its timeout each time: they never went on. Now entries of the agenda for who is parked
-- have a lane per workflow, a look reads those of workflows that may go on, and lets at most 50 entries (5,000 runs) go on at a time. What was
-- parked before stands in the lanes of accounts (0 and 1) and is put into its own part by part.
set local search_path = outrider, app, public;

-- The lane of a workflow's parked runs.
create function app.parked_lane(p_workflow text) returns smallint language sql immutable
  as $$ select (2 + ('x' || left(md5(p_workflow), 4))::bit(16)::int % 32766)::smallint $$;
-- The lane of a run's entry.
create function app.agenda_lane(p_place bigint, p_account text, p_workflow text) returns smallint language sql immutable
  as $$ select case when p_place = 9223372036854775807 then app.parked_lane(p_workflow) else app.lane_of(p_account) end $$;
revoke execute on function app.parked_lane(text), app.agenda_lane(bigint, text, text) from public;
grant execute on function app.parked_lane(text), app.agenda_lane(bigint, text, text) to outrider_app, outrider_executor, outrider_definer;

do $$
declare
  before text;
  after text;
  first int;
  past int;
begin
  before := pg_get_functiondef('app.keep_agenda()'::regprocedure);
  after := replace(before, 'select n.workspace_id, n.place, n.lane, array_agg(n.id', 'select n.workspace_id, n.place, app.agenda_lane(n.place, n.account_id, n.workflow_id) as lane, array_agg(n.id');
  after := replace(after, 'as place, app.lane_of(account_id) as lane from new_rows', 'as place, account_id, workflow_id from new_rows');
  after := replace(after, 'group by n.workspace_id, n.place, n.lane)', 'group by 1, 2, 3)');
  if (select count(*) from regexp_matches(after, 'app\.agenda_lane\(n\.place|as place, account_id, workflow_id from new_rows|group by 1, 2, 3\)', 'g')) <> 6 then
    raise exception 'app.keep_agenda does not read as expected';
  end if;
  execute after;

  before := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  first := position(E'      -- No claim comes by the end of time' in before);
  past := position(E'      get diagnostics unparked = row_count;\n' in before);
  if first = 0 or past < first or position('greatest(p_now, (select max(z.until)' in before) = 0 then raise exception 'app.rest does not read as expected'; end if;
  after := left(before, first - 1) || $x$      frozen := array(select z.target from send_freeze z where z.channel in ('', 'network') and z.until is null and z.scope = 'account');
      if not exists (select 1 from send_freeze z where z.channel in ('', 'network') and z.until is null
          and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws))) then
        flows := array(select w.id from workflow w where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null);
      end if;
      for part in 1 .. 20 loop
        with looked as materialized (
          select a.ctid as at from agenda a
          where a.workspace_id = ws and a.due_at = app.parked_at()
            and a.lane = any (array[0::smallint, 1::smallint] || array(select app.parked_lane(w.id) from workflow w where w.workspace_id = ws and (w.id = any (flows) or w.deleted_at is not null)))
            -- Also what names nobody who is parked any more: no claim comes by the end of time.
            and (a.lane < 2 or app.may_go_on(a.run_ids, flows, frozen) is distinct from false)
          limit 50 for update skip locked),
        cleared as (delete from agenda a where a.ctid = any (array(select l.at from looked l)) returning a.run_ids)
        select count(*), array(select unnest(c.run_ids) from cleared c) into took, ids from cleared;
        exit when took = 0;
        taken := coalesce(current_setting('app.agenda_taken', true), '');
        perform set_config('app.agenda_taken', app.parked_at()::text, true);
        update run r set due_at = greatest(p_now, (select max(z.until) from send_freeze z where z.channel in ('', 'network') and z.until > p_now
              and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws) or (z.scope = 'account' and z.target = r.account_id))))
          where r.id = any (ids) and (r.workspace_id = ws) is true and (r.workflow_id = any (flows)) is true and r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null
            and r.state <> 'paused' and (r.account_id = any (frozen)) is not true and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text);
        get diagnostics unparked = row_count;
        perform set_config('app.agenda_taken', taken, true);
        insert into agenda (workspace_id, due_at, lane, run_ids)
          select ws, app.parked_at(), g.lane, g.ids[g.first : g.first + 99]
          from (select k.lane, k.ids, generate_series(1, cardinality(k.ids), 100) as first
            from (select app.parked_lane(r.workflow_id) as lane, array_agg(r.id) as ids from run r
              where r.id = any (ids) and (r.workspace_id = ws) is true and app.agenda_at(r.due_at, r.wait_reason, r.ended_at) = app.parked_at()
              group by 1) k) g;
        exit when unparked > 0 or took < 50;
      end loop;
      -- More is to be looked at than one look may.
      if took = 50 then unparked := greatest(unparked, 1); end if;
$x$ || substr(before, past + length(E'      get diagnostics unparked = row_count;\n'));
  after := replace(after, E'    kept bigint;\n', E'    kept bigint;\n    -- Workflows that may go on, accounts that are frozen without an end.\n    flows text[] := ''{}'';\n    frozen text[];\n    ids uuid[];\n    took int := 0;\n    taken text;\n');
  if position('flows text[]' in after) = 0 then raise exception 'app.rest does not read as expected'; end if;

  -- Whether one of these runs may go on; null: none of them is parked.
  execute $f$
    create function app.may_go_on(p_runs uuid[], p_flows text[], p_frozen text[]) returns boolean language sql stable
      set search_path = outrider, app, pg_catalog set enable_seqscan = off
      as $b$
        select bool_or(r.workflow_id = any (p_flows) and r.state <> 'paused' and (r.account_id = any (p_frozen)) is not true
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text))
        from run r where r.id = any (p_runs) and app.agenda_at(r.due_at, r.wait_reason, r.ended_at) = app.parked_at()
      $b$ $f$;
  execute after;
end $$;
revoke execute on function app.may_go_on(uuid[], text[], text[]) from public;
grant execute on function app.may_go_on(uuid[], text[], text[]) to outrider_definer;
