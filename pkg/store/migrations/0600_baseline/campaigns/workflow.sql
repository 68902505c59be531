-- A Workflow object as it should be, projected by one function (project-workflow.ts) that tools and the controller call. Its id is its lineage:
-- send keys are bound to it and outlive the object. A deleted one is a tombstone; its texts go after retentionDays, the row never.
create table outrider.workflow (
  -- namespace and name of the object
  id text primary key,
  workspace_id text not null references outrider.workspace(id),
  campaign_id text not null references outrider.campaign(id),
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  -- what is in force: a stop by a tool or a hold overrides the spec
  enabled boolean not null default false,
  -- version that new runs follow; 0: no valid graph yet
  graph_version int not null default 0,
  node_count int not null default 0,
  -- accounts that its runs may use; empty: any of the workspace
  network_account_ids text[] not null default '{}',
  provider_account_ids text[] not null default '{}',
  -- finish_on_old or migrate: what becomes of runs under way when the graph is replaced
  in_flight text not null default 'finish_on_old',
  -- why the newest graph is not followed; null: it is
  graph_problem text,
  -- ReconcileStatus of the catalog, as the controller judged it
  reconcile jsonb not null default '{}',
  -- epoch ms, product time, as all times but the next
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  -- creation of the object on the API server's clock, epoch ms
  object_created_at bigint not null default 0,
  -- when its content went
  purged_at bigint,
  -- last run that a purge under way came to
  purged_to uuid
);

create index workflow_deleted on outrider.workflow (deleted_at) where deleted_at is not null and purged_at is null;
create index workflow_workspace on outrider.workflow (workspace_id, campaign_id, created_at desc, id);

alter table outrider.workflow enable row level security;
alter table outrider.workflow force row level security;
create policy app_visible on outrider.workflow to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.workflow to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.workflow to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.workflow to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.workflow to outrider_app;
grant select, insert, update, delete on outrider.workflow to outrider_definer;
grant select on outrider.workflow to outrider_executor;

create trigger keep_campaign_count after insert or delete on outrider.workflow for each row execute function app.keep_campaign_count('workflows');
create trigger keep_campaign_count_moved after update on outrider.workflow for each row
  when (old.campaign_id is distinct from new.campaign_id or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function app.keep_campaign_count('workflows');
create trigger wake_on_release after update on outrider.workflow for each row execute function app.wake_on_release();
