-- What a signal agent found worth following: leads in the order of their finding, with the rule that chose them, until a
-- source:signal_agent node takes them into its workflow or is refused.
set local search_path = outrider, app, public;

create table outrider.signal_queue (
  id bigint generated always as identity primary key,
  workspace_id text not null references outrider.workspace (id),
  signal_agent_id text not null,
  lead_id uuid not null references outrider.lead (id),
  workflow_id text,                         -- the one workflow that may take it; null: any that listens to the agent
  rule text not null default '',            -- why the agent chose the lead, for people
  signal_id uuid,
  enqueued_at bigint not null,
  settled_at bigint,
  settled_by text,                          -- workflow that took it
  outcome text                              -- enrolled, or why it was refused
);
create unique index signal_queue_open on outrider.signal_queue (workspace_id, signal_agent_id, lead_id) where settled_at is null;
create index signal_queue_next on outrider.signal_queue (workspace_id, enqueued_at, id) where settled_at is null;

alter table outrider.signal_queue enable row level security;
alter table outrider.signal_queue force row level security;
create policy owner_all on outrider.signal_queue to outrider_owner using (true) with check (true);
create policy definer_all on outrider.signal_queue to outrider_definer using (true) with check (true);
create policy app_visible on outrider.signal_queue to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.signal_queue to outrider_executor
  using (workspace_id = (select app.workspace())) with check (workspace_id = (select app.workspace()));
grant select, insert, update, delete on outrider.signal_queue to outrider_app, outrider_definer;
grant select, insert, update on outrider.signal_queue to outrider_executor;
