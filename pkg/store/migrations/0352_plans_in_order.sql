-- Plans that are made while tables are empty, and known to be, are kept while these grow. Then all ways to a row cost the same, and rest
-- compared each open send with all sends (0.6 s a look), relations_of each person with all relations (140 ms of a batch of 130 people after
-- some seconds) and each relation with all accounts. One row is asked for at a time, by what is in hand already.
set local search_path = outrider, app, public;

-- Planned anew each time, since only the size of the table tells which of its indexes to take (half a millisecond a batch).
create or replace function app.relations_of(p_persons uuid[]) returns table (account_id text, person_id uuid, state text, provider_id text, invitation_id text,
    requested_at bigint, connected_at bigint, chat_id text, chat_synced_at bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog set enable_sort = on set plan_cache_mode = force_custom_plan
  as $$
    select r.account_id, r.person_id, r.state, r.provider_id, r.invitation_id, r.requested_at, r.connected_at, c.external_id,
      greatest(c.synced_at, (select w.last_synced_at from account_wake w where w.account_id = r.account_id))
    from (select distinct p.id from unnest(p_persons) as p (id)) k
      -- One person at a time, whatever the planner knows of a table that grows by the minute.
      cross join lateral (select x.* from relation x where x.person_id = k.id
        and exists (select 1 from account_link l where l.account_id = x.account_id and l.workspace_id = (select app.workspace()) offset 0) offset 0) r
      left join lateral (select x.external_id, x.synced_at from conversation x where x.person_id = r.person_id and x.account_id = r.account_id
        order by x.last_message_at desc limit 1) c on true
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
      into open_sends, unknown_sends, next_lookup_ms
      from open_send o cross join lateral (select x.state, x.maybe, x.lookup_after from send x where x.id = o.send_id offset 0) s
      where o.workspace_id = ws;
    next_due := app.next_due(ws);
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from next_due then return; end if;
    perform 1 from workspace_wake where workspace_id = ws for update;
    next_due := app.next_due(ws);
    if next_due is null then delete from workspace_wake where workspace_id = ws; return; end if;
    insert into workspace_wake (workspace_id, due_at, reason) values (ws, next_due, 'next')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason;
  end $$;
