-- A connected CRM, outreach platform or webhook. `sealed`: credentials, encrypted with the installation's key.
create table outrider.integration (
  id text primary key,
  workspace_id text not null,
  provider text not null,
  kind text not null check (kind in ('crm', 'outreach', 'webhook', 'chat')),
  name text not null default '',
  status text not null default 'connected' check (status in ('connected', 'needs_auth', 'error', 'paused')),
  -- a webhook's target; else an address other than the provider's own
  url text not null default '',
  sealed bytea,
  events text[] not null default '{}',
  last_delivery_at bigint,
  failures_in_row int not null default 0,
  last_error text,
  created_at bigint not null,
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
