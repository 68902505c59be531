-- Narrow on purpose: millions wait. due_at null: waits for an event (reply, acceptance, review) or is ended.
create table outrider.run (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  lead_id uuid not null,
  person_id uuid,
  graph_version int not null,
  -- node where the run stands
  node_id text not null,
  state text not null check (state in ('queued', 'waiting', 'in_review', 'blocked', 'paused', 'replied', 'completed', 'stopped', 'suppressed', 'failed')),
  wait_reason text,
  due_at bigint,
  -- when it reached node_id
  entered_at bigint not null,
  account_id text,
  -- split node -> branch
  arms jsonb,
  -- connected, replied, replyClass, lastTouchAt, waits of the node …
  facts jsonb not null default '{}',
  version int not null default 1,
  -- the attempt of node_id, when one exists
  send_id uuid,
  started_at bigint not null,
  ended_at bigint,
  end_reason text
) with (fillfactor = 45, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_scale_factor = 0.5);
alter table outrider.run alter column arms set statistics 0;
alter table outrider.run alter column facts set statistics 0;

create index run_lead on outrider.run (workspace_id, lead_id);
create unique index run_live on outrider.run (workflow_id, lead_id) where ended_at is null;
create index run_person on outrider.run (person_id);
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
