-- Work exists for a workspace at due_at: upserted in the transaction that makes the work, read by the operator, which starts executors, and
-- moved or taken away by the executor that rests (app.rest).
create table outrider.workspace_wake (
  workspace_id text primary key,
  -- product time, epoch ms; 0: at once
  due_at bigint not null,
  -- who woke it, for people
  reason text not null default '',
  -- Since when a workspace is due (real time): `due_at` 0 says only "at once", and who asks why nothing happens must not be
  -- told that work is overdue in the second in which it was made.
  woken_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50, autovacuum_analyze_threshold = 100000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);

create index workspace_wake_due on outrider.workspace_wake (due_at);

alter table outrider.workspace_wake enable row level security;
alter table outrider.workspace_wake force row level security;
create policy app_visible on outrider.workspace_wake to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.workspace_wake to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.workspace_wake to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.workspace_wake to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.workspace_wake to outrider_app;
grant select, insert, update, delete on outrider.workspace_wake to outrider_definer;
grant select, insert, update, delete on outrider.workspace_wake to outrider_executor;

create trigger wake_moved before update of due_at on outrider.workspace_wake
  for each row when (new.due_at is distinct from old.due_at) execute function app.on_wake_moved();
create trigger wake_sooner after insert or update of due_at on outrider.workspace_wake for each row execute function app.on_wake_sooner();
