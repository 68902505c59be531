create table outrider.campaign (
  id text primary key,
  workspace_id text not null references outrider.workspace(id),
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  title text not null,
  goal text not null default '',
  description text not null default '',
  state text not null default 'draft' check (state in ('draft', 'active', 'paused', 'completed', 'archived')),
  settings jsonb not null default '{}',
  reconcile jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  object_created_at bigint not null default 0,
  purged_at bigint,
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
