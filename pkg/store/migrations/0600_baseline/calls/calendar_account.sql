-- A calendar (CalDAV) of a workspace, which calendar:propose_slots reads; deleted_at: disconnected. Hours are those in which meetings may lie,
-- in its own timezone (specification: schedulingStartHour, schedulingEndHour).
create table outrider.calendar_account (
  id text primary key,
  workspace_id text not null,
  email text not null default '',
  -- of the CalDAV collection
  url text not null,
  -- password, sealed with the installation's key
  sealed bytea,
  timezone text not null default 'UTC',
  start_hour int not null default 9 check ((start_hour >= 0) and (start_hour <= 23)),
  end_hour int not null default 18 check ((end_hour >= 1) and (end_hour <= 24)),
  status text not null default 'connected' check (status in ('connected', 'needs_auth', 'error')),
  -- epoch ms, product time
  created_at bigint not null,
  deleted_at bigint,
  constraint calendar_account_check check (start_hour < end_hour)
);

create index calendar_account_workspace on outrider.calendar_account (workspace_id, created_at, id) where deleted_at is null;

alter table outrider.calendar_account enable row level security;
alter table outrider.calendar_account force row level security;
create policy app_visible on outrider.calendar_account to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.calendar_account to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.calendar_account for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.calendar_account to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.calendar_account to outrider_app;
grant select, insert, update, delete on outrider.calendar_account to outrider_definer;
grant select on outrider.calendar_account to outrider_executor;
