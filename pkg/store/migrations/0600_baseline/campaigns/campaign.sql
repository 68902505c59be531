-- A Campaign object as it should be, projected by one function (project-campaign.ts) that tools and the controller call. A deleted one is a
-- tombstone; its texts go after the workspace's retentionDays, the row never.
create table outrider.campaign (
  -- namespace and name of the object
  id text primary key,
  workspace_id text not null references outrider.workspace(id),
  -- of the object: another one under the name is another campaign
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  title text not null,
  goal text not null default '',
  description text not null default '',
  -- what is in force: a stop by a tool or a hold overrides the spec
  state text not null default 'draft' check (state in ('draft', 'active', 'paused', 'completed', 'archived')),
  -- {playbookOverride|null, scoreMin, signalWeights, signalRules, businessHours|null, contactPolicy, reviewMode, creditBudget, specState}
  settings jsonb not null default '{}',
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
  -- counts are kept by app.keep_campaign_count
  lead_lists int not null default 0,
  workflows int not null default 0,
  icps int not null default 0,
  personas int not null default 0,
  phases int not null default 0
);

create index campaign_deleted on outrider.campaign (deleted_at) where deleted_at is not null and purged_at is null;
create index campaign_workspace on outrider.campaign (workspace_id, created_at desc, id);

alter table outrider.campaign enable row level security;
alter table outrider.campaign force row level security;
create policy app_visible on outrider.campaign to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.campaign to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.campaign to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.campaign to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.campaign to outrider_app;
grant select, insert, update, delete on outrider.campaign to outrider_definer;
grant select on outrider.campaign to outrider_executor;

create trigger keep_pool_least after update on outrider.campaign for each row
  when ((old.settings ->> 'scoreMin') is distinct from (new.settings ->> 'scoreMin')) execute function app.keep_pool_least();
create trigger wake_on_release after update on outrider.campaign for each row execute function app.wake_on_release();
