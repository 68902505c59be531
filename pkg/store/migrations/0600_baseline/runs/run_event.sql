-- A line of a run's history, written with what it tells of, in the same transaction. Partitions by month of product time, opened ahead by whoever
-- writes (app.open_event_month), dropped after 400 days (app.drop_old_events).
create table outrider.run_event (
  workspace_id text not null,
  run_id uuid not null,
  -- order of lines of one moment
  seq bigint not null default nextval('outrider.run_event_order'::regclass),
  -- epoch ms, product time
  at bigint not null,
  -- enums.eventKind of the catalog
  kind text not null,
  -- node that it happened at; null: at none
  node_id text,
  -- who did it: 'engine', 'lead', 'system', a source, a user or a key
  actor text not null,
  -- for people
  text text not null default '',
  -- what the kind has to say: outcome, class, state, reason …
  data jsonb not null default '{}'
) partition by RANGE (at);

create index run_event_run on outrider.run_event (run_id, seq);

alter table outrider.run_event enable row level security;
alter table outrider.run_event force row level security;
create policy app_visible on outrider.run_event to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.run_event to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.run_event to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.run_event to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.run_event to outrider_app;
grant select, insert, update, delete on outrider.run_event to outrider_definer;
grant select, insert on outrider.run_event to outrider_executor;

-- Months that nobody opened (a long jump of the clock, a reply of long ago); moved when they open (app.open_event_month).
-- Reached through the parent only; nobody has rights on a partition itself.
create table outrider.run_event_default partition of outrider.run_event default;
alter table outrider.run_event_default enable row level security;
alter table outrider.run_event_default force row level security;
create policy owner_all on outrider.run_event_default to outrider_owner using (true) with check (true);
