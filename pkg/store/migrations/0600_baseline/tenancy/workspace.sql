-- A tenant. The row shows the Workspace resource's spec, written by one projection (pkg/store/project-workspace.ts); a deleted one stays as a
-- tombstone. Times are product time, epoch ms.
create table outrider.workspace (
  -- the resource's name
  id text primary key,
  -- of the resource's incarnation; another one under the same name begins anew
  uid text not null,
  -- of the spec that the row shows
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  owner_user_id uuid references outrider.app_user(id),
  -- workspaces of one agency may share exclusions; null: of none
  agency_id text,
  plan text not null default 'standard',
  timezone text not null default 'UTC',
  -- Suspended: nothing acts
  operating_mode text not null default 'Running' check (operating_mode in ('Running', 'Suspended')),
  -- {days, startHour, endHour, timezoneMode, timezone}; null: the default
  business_hours jsonb,
  -- the pod's settings: spec.executor
  executor jsonb not null default '{}',
  -- spec.limits: request limits, monthlyCredits
  limits jsonb not null default '{}',
  -- spec.settings (catalog: WorkspaceSettings)
  settings jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  -- when the incarnation was made
  object_created_at bigint not null default 0,
  -- the last verdict: {phase, generation, observedGeneration, message, lastTransitionAt} (catalog: ReconcileStatus)
  reconcile jsonb not null default '{}',
  -- when the content of the deleted workspace was gone; null: it is still there
  purged_at bigint
);

-- Who shares exclusions.
create index workspace_agency on outrider.workspace (agency_id) where agency_id is not null and deleted_at is null;
-- What is to be purged.
create index workspace_deleted on outrider.workspace (deleted_at) where deleted_at is not null and purged_at is null;

alter table outrider.workspace enable row level security;
alter table outrider.workspace force row level security;
create policy app_visible on outrider.workspace to outrider_app
  using (id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.workspace to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.workspace for select to outrider_executor using (id = (select app.workspace()));
create policy owner_all on outrider.workspace to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.workspace to outrider_app;
grant select, insert, update, delete on outrider.workspace to outrider_definer;
grant select on outrider.workspace to outrider_executor;

create trigger wake_on_release after update on outrider.workspace for each row execute function app.wake_on_release();
create trigger workspace_generation after update on outrider.workspace
  for each row when (old.name is distinct from new.name or old.deleted_at is distinct from new.deleted_at)
  execute function app.raise_generations();
create trigger workspace_limits_generation after update of limits on outrider.workspace
  for each row when (old.limits is distinct from new.limits) execute function app.raise_generations();
