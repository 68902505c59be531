-- A lead in a workflow: where it stands and what it waits for. Made by an enrolment (app.enrol) or a hand-over (app.hand_off), moved by the
-- workspace's executor, stopped by tools; stays after its end, for what proves contact. Narrow on purpose: millions wait, and what a step changes
-- stands in no index.
create table outrider.run (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  lead_id uuid not null,
  -- who the lead is; follows merges
  person_id uuid,
  -- version of the graph that it follows
  graph_version int not null,
  -- node where it stands; '' until the executor has found the graph's entry
  node_id text not null,
  -- enums.runState of the catalog
  state text not null check (state in ('queued', 'waiting', 'in_review', 'blocked', 'paused', 'replied', 'completed', 'stopped', 'suppressed', 'failed')),
  -- enums.waitReason of the catalog; null: waits for an event, or for nothing
  wait_reason text,
  -- epoch ms, product time, as all times here; null: waits for an event (reply, acceptance, review), is parked, or has ended
  due_at bigint,
  -- when it reached node_id
  entered_at bigint not null,
  -- account that its actions go through; null: not chosen yet
  account_id text,
  -- split node -> branch that it took
  arms jsonb,
  -- connected, replied, replyClass, lastTouchAt, awayUntil, approved texts, waits of the node …
  facts jsonb not null default '{}',
  -- raised by tools that change the run
  version int not null default 1,
  -- the attempt of node_id, where one is open
  send_id uuid,
  started_at bigint not null,
  ended_at bigint,
  -- for people
  end_reason text
) with (fillfactor = 45, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_scale_factor = 0.5);
alter table outrider.run alter column arms set statistics 0;
alter table outrider.run alter column facts set statistics 0;

-- History of a lead in its workspace.
create index run_lead on outrider.run (workspace_id, lead_id);
-- One live run per lead and workflow; walks over live runs go along it.
create unique index run_live on outrider.run (workflow_id, lead_id) where ended_at is null;
-- Replies, merges.
create index run_person on outrider.run (person_id);
-- Lists of a workflow, and its purge.
create index run_workflow on outrider.run (workspace_id, workflow_id, id);

alter table outrider.run enable row level security;
alter table outrider.run force row level security;
create policy app_visible on outrider.run to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.run to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.run to outrider_executor
  using ((workspace_id = (select app.workspace())) is true)
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.run to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.run to outrider_app;
grant select, insert, update, delete on outrider.run to outrider_definer;
grant select, update on outrider.run to outrider_executor;

create trigger agenda_deleted after delete on outrider.run referencing old table as old_rows for each statement execute function app.keep_agenda();
create trigger agenda_inserted after insert on outrider.run referencing new table as new_rows for each statement execute function app.keep_agenda();
create trigger agenda_updated after update on outrider.run referencing old table as old_rows new table as new_rows for each statement execute function app.keep_agenda();
create trigger runs_ended after update on outrider.run referencing old table as old_rows new table as new_rows for each statement execute function app.on_runs_ended();
