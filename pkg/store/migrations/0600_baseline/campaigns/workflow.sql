-- A workflow's id is its lineage: send keys are bound to it and outlive the object.
create table outrider.workflow (
  id text primary key,
  workspace_id text not null references outrider.workspace(id),
  campaign_id text not null references outrider.campaign(id),
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  enabled boolean not null default false,
  graph_version int not null default 0,
  node_count int not null default 0,
  network_account_ids text[] not null default '{}',
  provider_account_ids text[] not null default '{}',
  in_flight text not null default 'finish_on_old',
  graph_problem text,
  reconcile jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  object_created_at bigint not null default 0,
  purged_at bigint,
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
create trigger keep_campaign_count_moved after update on outrider.workflow for each row when (((old.campaign_id IS DISTINCT FROM new.campaign_id) or ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)))) execute function app.keep_campaign_count('workflows');
create trigger wake_on_release after update on outrider.workflow for each row execute function app.wake_on_release();
