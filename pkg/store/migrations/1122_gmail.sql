-- Mailboxes that are opened by Gmail's API: what Google granted lies in the integration of the same id.
alter table outrider.network_account drop constraint network_account_provider_check;
alter table outrider.network_account add constraint network_account_provider_check
  check (provider in ('sandbox', 'unipile', 'smtp', 'gmail'));

-- How far the changes of a Google calendar were read, so that what its owner or guests do there is heard of. Times are
-- real.
create table outrider.calendar_sync (
  calendar_id text primary key references outrider.calendar_account(id) on delete cascade,
  workspace_id text not null references outrider.workspace(id),
  -- what Google gave to ask for changes since; null: everything is looked at first
  token text,
  due_at timestamptz not null default clock_timestamp(),
  -- the process that reads now, and until when
  holder uuid,
  lease_until timestamptz,
  failures int not null default 0
);
create index calendar_sync_due on outrider.calendar_sync (due_at);

alter table outrider.calendar_sync enable row level security;
alter table outrider.calendar_sync force row level security;
create policy app_visible on outrider.calendar_sync to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.calendar_sync to outrider_definer using (true) with check (true);
create policy owner_all on outrider.calendar_sync to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.calendar_sync to outrider_app;
grant select, insert, update, delete on outrider.calendar_sync to outrider_definer;
insert into outrider.calendar_sync (calendar_id, workspace_id)
select id, workspace_id from outrider.calendar_account where provider = 'google' and deleted_at is null;
