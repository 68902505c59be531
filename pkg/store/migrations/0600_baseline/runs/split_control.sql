-- How a split node divides its leads beyond what the graph says: set by people (svc_update_split_optimization), learnt by the executor. No row:
-- nobody touched the split and it learnt nothing.
create table outrider.split_control (
  workspace_id text not null,
  workflow_id text not null references outrider.workflow(id),
  node_id text not null,
  -- null: as the node says
  mode text check (mode in ('fixed', 'bandit', 'paused')),
  -- what counts as success; null: as the node says
  metric text check (metric in ('accepted', 'replied', 'positive_reply', 'meeting')),
  -- branch -> share, set by a person (mode fixed)
  weights jsonb,
  -- leads of a branch before it learns, and the shares and hours of the two below; null: as the node says
  min_exposures int,
  min_arm_share real,
  maturity_hours int,
  -- branch that gets all leads
  promoted text,
  -- branch -> share, by Thompson sampling
  learnt jsonb,
  -- epoch ms, product time, as all times here; null: never
  learnt_at bigint,
  -- exposures before it do not count (reset)
  since bigint not null default 0,
  updated_at bigint not null,
  updated_by text not null default '',
  primary key (workflow_id, node_id)
);

create index split_control_workspace on outrider.split_control (workspace_id);

alter table outrider.split_control enable row level security;
alter table outrider.split_control force row level security;
create policy app_visible on outrider.split_control to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.split_control to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.split_control to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.split_control to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.split_control to outrider_app;
grant select, insert, update, delete on outrider.split_control to outrider_definer;
grant select, insert, update on outrider.split_control to outrider_executor;
