-- One row per graph version; runs in flight keep theirs. graph: {nodes: [{nodeId, nodeType, label, config}], edges: [...]}
create table outrider.workflow_graph (
  workspace_id text not null,
  workflow_id text not null references outrider.workflow(id),
  version int not null,
  graph jsonb not null,
  node_types_version text not null,
  created_at bigint not null,
  primary key (workflow_id, version)
);

alter table outrider.workflow_graph enable row level security;
alter table outrider.workflow_graph force row level security;
create policy app_visible on outrider.workflow_graph to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.workflow_graph to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.workflow_graph to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.workflow_graph to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.workflow_graph to outrider_app;
grant select, insert, update, delete on outrider.workflow_graph to outrider_definer;
grant select on outrider.workflow_graph to outrider_executor;
