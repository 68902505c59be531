-- A connected CRM, outreach platform, webhook or chat of a workspace. Tools write it, executors note what became of deliveries
-- (app.note_delivery). Times are product time, epoch ms.
create table outrider.integration (
  id text primary key,
  workspace_id text not null,
  provider text not null,
  kind text not null check (kind in ('crm', 'outreach', 'webhook', 'chat')),
  name text not null default '',
  status text not null default 'connected' check (status in ('connected', 'needs_auth', 'error', 'paused')),
  -- a webhook's target; else an address other than the provider's own
  url text not null default '',
  -- credentials, sealed with the installation's key; null: it needs none
  sealed bytea,
  -- of a webhook: which are delivered (catalog: enums.eventKind)
  events text[] not null default '{}',
  -- null: none yet
  last_delivery_at bigint,
  -- failed deliveries since the last that went through
  failures_in_row int not null default 0,
  last_error text,
  created_at bigint not null,
  -- null: it is connected
  deleted_at bigint
);

create index integration_workspace on outrider.integration (workspace_id, id) where deleted_at is null;

alter table outrider.integration enable row level security;
alter table outrider.integration force row level security;
create policy app_visible on outrider.integration to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.integration to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.integration for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.integration to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.integration to outrider_app;
grant select, insert, update, delete on outrider.integration to outrider_definer;
grant select on outrider.integration to outrider_executor;
