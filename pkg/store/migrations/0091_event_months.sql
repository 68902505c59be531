-- History in partitions by month of product time. A month is opened ahead by whoever works in it; months that nobody
-- opened (a long jump of the clock, a reply of long ago) are caught by the default partition and moved when they open.
set local search_path = outrider, app, public;

alter table outrider.run_event rename to run_event_before;
create sequence outrider.run_event_order;
create table outrider.run_event (
  workspace_id text not null,
  run_id uuid not null,
  seq bigint not null default nextval('outrider.run_event_order'),
  at bigint not null,
  kind text not null,                       -- enums.eventKind of the vocabulary
  node_id text,
  actor text not null,
  text text not null default '',
  data jsonb not null default '{}'
) partition by range (at);
create index run_event_run on outrider.run_event (run_id, seq);
create table outrider.run_event_default partition of outrider.run_event default;
select setval('outrider.run_event_order', (select coalesce(max(seq), 0) + 1 from outrider.run_event_before));
insert into outrider.run_event select workspace_id, run_id, seq, at, kind, node_id, actor, text, data from outrider.run_event_before;
drop table outrider.run_event_before;

alter table outrider.run_event enable row level security;
alter table outrider.run_event force row level security;
create policy owner_all on outrider.run_event to outrider_owner using (true) with check (true);
create policy definer_all on outrider.run_event to outrider_definer using (true) with check (true);
create policy app_visible on outrider.run_event to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.run_event to outrider_executor
  using (workspace_id = (select app.workspace())) with check (workspace_id = (select app.workspace()));
-- Reached through the parent only; nobody has rights on a partition itself.
alter table outrider.run_event_default enable row level security;
alter table outrider.run_event_default force row level security;
create policy owner_all on outrider.run_event_default to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.run_event to outrider_app, outrider_definer;
grant select, insert on outrider.run_event to outrider_executor;
grant usage on sequence outrider.run_event_order to outrider_app, outrider_executor, outrider_definer;

-- Opens the month of p_at (epoch ms); true when it was not open yet. Owned by the tables' owner, so that any role may ask.
create function app.open_event_month(p_at bigint) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog set lock_timeout = '500ms'
  as $$
  declare
    first date := date_trunc('month', to_timestamp(p_at / 1000.0) at time zone 'UTC')::date;
    name text := 'run_event_' || to_char(first, 'YYYY_MM');
    low bigint := extract(epoch from first)::bigint * 1000;
    high bigint := extract(epoch from (first + interval '1 month')::date)::bigint * 1000;
  begin
    if to_regclass('outrider.' || name) is not null then return false; end if;
    perform pg_advisory_xact_lock(hashtext('outrider.run_event'));
    if to_regclass('outrider.' || name) is not null then return false; end if;
    execute format('create table outrider.%I (like outrider.run_event including defaults)', name);
    execute format('alter table outrider.%I set (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.2)', name);
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', name);
    lock table outrider.run_event_default in access exclusive mode;
    execute format('with moved as (delete from outrider.run_event_default where at >= %s and at < %s returning *) insert into outrider.%I select * from moved', low, high, name);
    execute format('alter table outrider.run_event attach partition outrider.%I for values from (%s) to (%s)', name, low, high);
    return true;
  end $$;

-- Drops the months that ended more than p_keep_days before p_now (product time). Platform only. Returns how many.
create function app.drop_old_events(p_now bigint, p_keep_days int) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    month record;
    dropped int := 0;
  begin
    if not app.is_platform() or p_keep_days < 30 then return 0; end if;
    for month in
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'outrider.run_event'::regclass and c.relname ~ '^run_event_\d{4}_\d{2}$'
        and extract(epoch from to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') * 1000 < p_now - p_keep_days::bigint * 86400000
      order by 1 limit 12
    loop
      execute format('drop table outrider.%I', month.name);
      dropped := dropped + 1;
    end loop;
    delete from outrider.run_event_default where at < p_now - p_keep_days::bigint * 86400000;
    return dropped;
  end $$;
grant execute on function app.open_event_month(bigint) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.drop_old_events(bigint, int) to outrider_app;
