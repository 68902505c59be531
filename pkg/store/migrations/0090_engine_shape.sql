-- The shape that keeps the due loop fast: what a step changes stands in no index of `run` (heap-only updates), the due
-- times stand in a narrow table of their own, and history is partitioned by month so that a year of it costs nothing.
set local search_path = outrider, app, public;

-- One row per run that is due at a time. Parked runs (stopped from outside) stand at the end of time, where nothing is
-- ever due. Kept by triggers, whoever writes the run.
create table outrider.agenda (
  workspace_id text not null,
  due_at bigint not null,
  run_id uuid not null,
  primary key (workspace_id, due_at, run_id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table outrider.agenda enable row level security;
alter table outrider.agenda force row level security;
create policy owner_all on outrider.agenda to outrider_owner using (true) with check (true);
create policy definer_all on outrider.agenda to outrider_definer using (true) with check (true);
create policy app_visible on outrider.agenda for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.agenda for select to outrider_executor using (workspace_id = (select app.workspace()));
grant select on outrider.agenda to outrider_app, outrider_executor;
grant select, insert, delete on outrider.agenda to outrider_definer;

create function app.parked_at() returns bigint language sql immutable as $$ select 9223372036854775807 $$;
-- Where a run stands in the agenda, or null.
create function app.agenda_at(p_due bigint, p_reason text, p_ended bigint) returns bigint language sql immutable
  as $$ select coalesce(p_due, case when p_reason = 'send_freeze' and p_ended is null then 9223372036854775807 end) $$;

-- Index lookups whatever the tables' sizes were when the plan was made.
create function app.keep_agenda() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog set enable_hashjoin = off set enable_mergejoin = off
  as $$
  begin
    if tg_op <> 'INSERT' then
      delete from agenda a using old_rows o
        where a.workspace_id = o.workspace_id and a.due_at = app.agenda_at(o.due_at, o.wait_reason, o.ended_at) and a.run_id = o.id;
    end if;
    if tg_op <> 'DELETE' then
      insert into agenda (workspace_id, due_at, run_id)
        select n.workspace_id, app.agenda_at(n.due_at, n.wait_reason, n.ended_at), n.id from new_rows n
        where app.agenda_at(n.due_at, n.wait_reason, n.ended_at) is not null;
    end if;
    return null;
  end $$;
alter function app.keep_agenda() owner to outrider_definer;
grant execute on function app.parked_at(), app.agenda_at(bigint, text, bigint) to outrider_app, outrider_executor, outrider_definer, outrider_owner;
grant execute on function app.keep_agenda() to outrider_owner;
create trigger agenda_inserted after insert on outrider.run referencing new table as new_rows for each statement execute function app.keep_agenda();
create trigger agenda_updated after update on outrider.run referencing old table as old_rows new table as new_rows for each statement execute function app.keep_agenda();
create trigger agenda_deleted after delete on outrider.run referencing old table as old_rows for each statement execute function app.keep_agenda();
insert into outrider.agenda (workspace_id, due_at, run_id)
  select workspace_id, app.agenda_at(due_at, wait_reason, ended_at), id from outrider.run where app.agenda_at(due_at, wait_reason, ended_at) is not null;

drop index outrider.run_due;
drop index outrider.run_parked;
drop index outrider.run_workflow;
create index run_workflow on outrider.run (workspace_id, workflow_id, id);
-- Runs that lie together come due together: room for a second version of each row of a page keeps the update on it.
alter table outrider.run set (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
alter table outrider.send set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- The trigger looked at every row of every update by a join; most updates end nothing.
create or replace function app.on_runs_ended() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ended uuid[];
    sends uuid[];
  begin
    if not exists (select 1 from new_rows where ended_at is not null) then return null; end if;
    select array_agg(n.id) into ended from new_rows n join old_rows o on o.id = n.id where n.ended_at is not null and o.ended_at is null;
    if ended is null then return null; end if;
    update contact_claim c set released_at = n.ended_at, cool_until = greatest(c.cool_until,
        (select max(g.last_at) + app.policy_days(p.settings, 'recontactAfterDays', 90)::bigint * 86400000 from contact_log g where g.person_id = n.person_id and g.workflow_id = n.workflow_id))
      from new_rows n join campaign p on p.id = n.campaign_id
      where n.id = any (ended) and c.run_id = n.id and c.released_at is null;
    select array_agg(s.id) into sends from send s join new_rows n on n.id = s.run_id where s.run_id = any (ended) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, (select max(n.ended_at) from new_rows n)); end if;
    update review_item i set state = 'cancelled', decided_at = n.ended_at, decided_by = 'engine', reason = coalesce(n.end_reason, 'the run ended')
      from new_rows n where i.run_id = n.id and n.id = any (ended) and i.state in ('pending', 'approved');
    return null;
  end $$;

-- Proves the claim once per statement, not once per link.
create or replace function app.linked_accounts() returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select account_id from outrider.account_link
    where workspace_id = any ((select array_append(app.workspaces(), app.workspace()))::text[])
       or (select app.is_platform())
    union
    select app.account() where app.account() is not null
  $$;

create or replace function app.next_due(p_workspace text) returns bigint
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
    select least((select a.due_at from agenda a where a.workspace_id = p_workspace and a.due_at < app.parked_at() order by a.due_at limit 1),
      (select min(s.next_at) from source_feed s join workflow w on w.id = s.workflow_id
       where s.workspace_id = p_workspace and app.flow_stop(p_workspace, w.campaign_id, w.id) is null))
  $$;

create or replace function app.rest(p_now bigint, out next_due bigint, out unparked int, out open_sends int, out unknown_sends int, out next_lookup_ms float8)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    kept bigint;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    unparked := 0;
    if exists (select 1 from agenda where workspace_id = ws and due_at = app.parked_at()) then
      update run r set due_at = p_now
        from agenda a, (select w.id from workflow w where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null) f
        where a.workspace_id = ws and a.due_at = app.parked_at() and r.id = a.run_id
          and r.workflow_id = f.id and r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null and r.state <> 'paused'
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text)
          and not exists (select 1 from send_freeze z where z.channel in ('', 'network') and (z.until is null or z.until > p_now)
            and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws) or (z.scope = 'account' and z.target = r.account_id)));
      get diagnostics unparked = row_count;
    end if;
    select count(*) filter (where state <> 'unknown'), count(*) filter (where state = 'unknown' and not maybe),
        extract(epoch from min(lookup_after) filter (where state = 'unknown' and not maybe) - clock_timestamp()) * 1000
      into open_sends, unknown_sends, next_lookup_ms from send where workspace_id = ws and state in ('claimed', 'dispatched', 'unknown');
    next_due := app.next_due(ws);
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from next_due then return; end if;
    perform 1 from workspace_wake where workspace_id = ws for update;
    next_due := app.next_due(ws);
    if next_due is null then delete from workspace_wake where workspace_id = ws; return; end if;
    insert into workspace_wake (workspace_id, due_at, reason) values (ws, next_due, 'next')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason;
  end $$;

-- A batch's own statements find their rows by index only (see Database); what these do inside is planned as usual.
do $$
declare path text;
begin
  foreach path in array array['hashjoin', 'mergejoin', 'seqscan', 'sort', 'bitmapscan', 'material'] loop
    execute format('alter function app.claim_sends(bigint, jsonb) set enable_%s = on', path);
    execute format('alter function app.on_runs_ended() set enable_%s = on', path);
  end loop;
end $$;
