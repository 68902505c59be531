-- A version of a workflow's graph. Added with the projection, never changed; runs in flight keep theirs. Configs go with the purge of a deleted
-- workflow, ids and labels of nodes stay.
create table outrider.workflow_graph (
  workspace_id text not null,
  workflow_id text not null references outrider.workflow(id),
  version int not null,
  -- {nodes: [{nodeId, nodeType, label, config}], edges: [{sourceIndex, targetIndex, branch|null}]}, indices by place in nodes
  graph jsonb not null,
  -- of the vocabulary that it was compiled by
  node_types_version text not null,
  -- epoch ms, product time
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
