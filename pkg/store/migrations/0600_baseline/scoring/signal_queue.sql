-- A lead that a signal agent found, waiting for source:signal_agent of a workflow to take it (at most 10,000 wait in a workspace). Settled rows
-- stay: they say what became of it.
create table outrider.signal_queue (
  id bigint primary key generated always as identity,
  workspace_id text not null references outrider.workspace(id),
  signal_agent_id text not null,
  lead_id uuid not null references outrider.lead(id),
  -- the one workflow that may take it; null: any that listens to the agent
  workflow_id text,
  -- why the agent chose the lead, for people
  rule text not null default '',
  -- signal that it chose it by; null: none
  signal_id uuid,
  -- epoch ms, product time
  enqueued_at bigint not null,
  settled_at bigint,
  -- workflow that took it
  settled_by text,
  -- enrolled, or why it was refused
  outcome text
);

create index signal_queue_lead on outrider.signal_queue (lead_id);
create index signal_queue_next on outrider.signal_queue (workspace_id, enqueued_at, id) where settled_at is null;
create unique index signal_queue_open on outrider.signal_queue (workspace_id, signal_agent_id, lead_id) where settled_at is null;

alter table outrider.signal_queue enable row level security;
alter table outrider.signal_queue force row level security;
create policy app_visible on outrider.signal_queue to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_queue to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_queue to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_queue to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_queue to outrider_app;
grant select, insert, update, delete on outrider.signal_queue to outrider_definer;
grant select, insert, update on outrider.signal_queue to outrider_executor;
