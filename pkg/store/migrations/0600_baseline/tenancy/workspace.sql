create table outrider.workspace (
  id text primary key,
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  owner_user_id uuid references outrider.app_user(id),
  agency_id text,
  plan text not null default 'standard',
  timezone text not null default 'UTC',
  operating_mode text not null default 'Running' check (operating_mode in ('Running', 'Suspended')),
  business_hours jsonb,
  executor jsonb not null default '{}',
  limits jsonb not null default '{}',
  settings jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  object_created_at bigint not null default 0,
  reconcile jsonb not null default '{}',
  purged_at bigint
);

create index workspace_agency on outrider.workspace (agency_id) where agency_id is not null and deleted_at is null;
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
