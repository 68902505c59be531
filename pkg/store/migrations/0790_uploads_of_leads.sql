-- Files of leads that a client puts at an address of the ingress instead of into a call: svc_import_leads_csv makes the
-- address, and imports what was put there. Any replica may take the file, and any other one may import it. All is real
-- time; a row and its file are gone within an hour after the address was made.
create table outrider.lead_upload (
  id uuid primary key,
  workspace_id text not null,
  -- API key that asked for the address; null: a server asked for somebody (X-Runner-Secret)
  key_id uuid,
  -- user of that key; null: it is the workspace's
  user_id uuid,
  -- SHA-256 of what makes the address
  secret_hash bytea not null unique,
  -- receiving: a file is on its way; received: it is whole, and the address takes no other; imported: the file is gone
  state text not null default 'open' check (state in ('open', 'receiving', 'received', 'imported')),
  -- number of the try: a try that was given up stores nothing more
  attempt int not null default 0,
  bytes bigint not null default 0,
  -- rows as they were counted on their way; null: the file is not whole
  row_count int,
  -- as TEXT_ENCODINGS has it; null: the file is not whole
  encoding text,
  created_at timestamptz not null default clock_timestamp(),
  -- no file is taken after
  expires_at timestamptz not null,
  -- when the last part of a file was stored
  touched_at timestamptz not null default clock_timestamp()
);

create index lead_upload_workspace on outrider.lead_upload (workspace_id, created_at);
create index lead_upload_created on outrider.lead_upload (created_at);

-- The parts of such a file, in order.
create table outrider.lead_upload_part (
  upload_id uuid not null references outrider.lead_upload(id) on delete cascade,
  workspace_id text not null,
  attempt int not null,
  -- from 0
  place int not null,
  body bytea not null,
  primary key (upload_id, attempt, place)
);
-- Texts of strangers are read once and dropped: compressing them would cost more than it saves.
alter table outrider.lead_upload_part alter column body set storage external;

alter table outrider.lead_upload enable row level security;
alter table outrider.lead_upload force row level security;
create policy app_visible on outrider.lead_upload to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_upload to outrider_definer using (true) with check (true);
create policy owner_all on outrider.lead_upload to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_upload to outrider_app, outrider_definer;

alter table outrider.lead_upload_part enable row level security;
alter table outrider.lead_upload_part force row level security;
create policy app_visible on outrider.lead_upload_part to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_upload_part to outrider_definer using (true) with check (true);
create policy owner_all on outrider.lead_upload_part to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_upload_part to outrider_app, outrider_definer;
