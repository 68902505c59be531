-- What a CRM and a workspace know of each other: lists that were imported, who is who, what we wrote there ourselves,
-- and the grants of vendors that are connected by OAuth.

alter table outrider.integration
  -- of a CRM: its owner and stage are taken over too
  add column two_way boolean not null default false,
  -- property there -> {to, owner}: which lead field it is, and whose value wins
  add column field_mapping jsonb not null default '{}',
  -- real time; null: its credentials do not expire
  add column token_expires_at timestamptz;

-- The right to get new access tokens; executors do not see it. One process at a time uses it: a refresh token that was
-- used twice is worth nothing any more.
create table outrider.integration_grant (
  integration_id text primary key references outrider.integration(id),
  workspace_id text not null,
  -- refresh token and the address that takes it, sealed with the installation's key
  sealed bytea,
  -- who renews it now, and until when (real time)
  holder uuid,
  lease_until timestamptz,
  -- refusals in a row
  failures int not null default 0
);

alter table outrider.integration_grant enable row level security;
alter table outrider.integration_grant force row level security;
create policy app_visible on outrider.integration_grant to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.integration_grant to outrider_definer using (true) with check (true);
create policy owner_all on outrider.integration_grant to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.integration_grant to outrider_app;
grant select, insert, update, delete on outrider.integration_grant to outrider_definer;

-- A member's way to the vendor and back: it is used once, within ten minutes.
create table outrider.oauth_state (
  -- SHA-256 of the state in the address
  state_hash bytea primary key,
  workspace_id text not null,
  integration_id text not null references outrider.integration(id),
  -- who asked: the key, and its user (null: a key of the workspace)
  key_id text not null,
  user_id text,
  -- of PKCE, sealed with the installation's key
  sealed_verifier bytea not null,
  -- real time
  expires_at timestamptz not null
);
create index oauth_state_expiry on outrider.oauth_state (expires_at);

alter table outrider.oauth_state enable row level security;
alter table outrider.oauth_state force row level security;
create policy app_visible on outrider.oauth_state to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.oauth_state to outrider_definer using (true) with check (true);
create policy owner_all on outrider.oauth_state to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.oauth_state to outrider_app;
grant select, insert, update, delete on outrider.oauth_state to outrider_definer;

-- Persons of a CRM who are leads here, by their id there.
create table outrider.integration_object (
  integration_id text not null references outrider.integration(id),
  external_id text not null,
  workspace_id text not null,
  lead_id uuid not null,
  -- the CRM says that the person must not be contacted
  excluded boolean not null default false,
  -- when it was told so by us, epoch ms product time; null: not yet
  told_at bigint,
  primary key (integration_id, external_id)
);
create index integration_object_lead on outrider.integration_object (lead_id);
create index integration_object_untold on outrider.integration_object (integration_id, external_id)
  where not excluded and told_at is null;

alter table outrider.integration_object enable row level security;
alter table outrider.integration_object force row level security;
create policy app_visible on outrider.integration_object to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.integration_object to outrider_definer using (true) with check (true);
create policy owner_all on outrider.integration_object to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.integration_object to outrider_app;
grant select, insert, update, delete on outrider.integration_object to outrider_definer;

-- What was written to a CRM by us: the same value that comes back within a day is our own.
create table outrider.integration_echo (
  integration_id text not null references outrider.integration(id),
  external_id text not null,
  property text not null,
  workspace_id text not null,
  lead_id uuid not null,
  -- SHA-256 of the value
  value_hash bytea not null,
  -- epoch ms, product time
  written_at bigint not null,
  primary key (integration_id, external_id, property)
);
create index integration_echo_lead on outrider.integration_echo (lead_id);
create index integration_echo_age on outrider.integration_echo (integration_id, written_at);

alter table outrider.integration_echo enable row level security;
alter table outrider.integration_echo force row level security;
create policy app_visible on outrider.integration_echo to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.integration_echo to outrider_definer using (true) with check (true);
create policy owner_all on outrider.integration_echo to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.integration_echo to outrider_app;
grant select, insert, update, delete on outrider.integration_echo to outrider_definer;

-- A list of a CRM that is or was imported, and where its people go.
create table outrider.provider_list (
  id uuid primary key,
  workspace_id text not null,
  integration_id text not null references outrider.integration(id),
  -- its id there
  external_id text not null,
  name text not null default '',
  -- null: into no list, no campaign
  lead_list_id uuid references outrider.lead_list(id),
  campaign_id text references outrider.campaign(id),
  -- property there -> lead field or customFields.<name>
  mapping jsonb not null default '{}',
  on_duplicate text not null check (on_duplicate in ('skip', 'fill_empty', 'overwrite')),
  keep_in_sync boolean not null default false,
  -- who leaves it there leaves the lead list here
  remove_from_list boolean not null default false,
  -- epoch ms, product time
  created_at bigint not null
);
create unique index provider_list_target
  on outrider.provider_list (integration_id, external_id, lead_list_id, campaign_id) nulls not distinct;

alter table outrider.provider_list enable row level security;
alter table outrider.provider_list force row level security;
create policy app_visible on outrider.provider_list to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.provider_list to outrider_definer using (true) with check (true);
create policy owner_all on outrider.provider_list to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.provider_list to outrider_app;
grant select, insert, update, delete on outrider.provider_list to outrider_definer;

-- Who was met in it, by which pass: nobody counts twice, and who was not met by the last pass has left it.
create table outrider.provider_list_member (
  provider_list_id uuid not null references outrider.provider_list(id) on delete cascade,
  external_id text not null,
  workspace_id text not null,
  lead_id uuid,
  pass_id uuid not null,
  primary key (provider_list_id, external_id)
);
create index provider_list_member_lead on outrider.provider_list_member (lead_id) where lead_id is not null;

alter table outrider.provider_list_member enable row level security;
alter table outrider.provider_list_member force row level security;
create policy app_visible on outrider.provider_list_member to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.provider_list_member to outrider_definer using (true) with check (true);
create policy owner_all on outrider.provider_list_member to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.provider_list_member to outrider_app;
grant select, insert, update, delete on outrider.provider_list_member to outrider_definer;

-- One comparison with a CRM at a time.
create unique index background_job_crm_sync on outrider.background_job ((work ->> 'integrationId'))
  where kind = 'crm_sync' and status in ('queued', 'running');
