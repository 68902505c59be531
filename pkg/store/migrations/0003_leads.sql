-- Persons (identity across tenants, opaque), leads (shared pool or private), lists, imports, scores.
set local search_path = outrider, app, public;

-- A person is an identity only: no names here. Aliases are normalised profile ids or hashes of mail addresses.
create table outrider.person (
  id uuid primary key,
  merged_into uuid,
  created_at bigint not null
);
create table outrider.person_alias (
  kind text not null check (kind in ('profile', 'provider', 'mail')),
  value text not null,
  person_id uuid not null references outrider.person (id),
  primary key (kind, value)
);
create index person_alias_person on outrider.person_alias (person_id);

create table outrider.lead (
  id uuid primary key,
  workspace_id text,                        -- null: shared pool
  person_id uuid references outrider.person (id),
  first_name text not null default '',
  last_name text not null default '',
  full_name text not null default '',
  headline text not null default '',
  title text not null default '',
  seniority text not null default '',
  company text not null default '',
  company_key text not null default '',     -- normalised company name, for matching
  company_domain text not null default '',
  industry text not null default '',
  company_size text not null default '',
  location text not null default '',
  country text not null default '',
  timezone text,
  profile_url text not null default '',
  profile_id text,                          -- normalised public id
  email text,
  email_status text not null default 'unknown',
  phone text,
  custom_fields jsonb not null default '{}',
  provenance jsonb not null default '{}',   -- field -> {source, at}
  created_at bigint not null,
  updated_at bigint not null,
  erased_at bigint,
  search tsvector generated always as (to_tsvector('simple', full_name || ' ' || title || ' ' || company || ' ' || headline)) stored
);
create index lead_workspace on outrider.lead (workspace_id, created_at desc, id);
create index lead_search on outrider.lead using gin (search);
create unique index lead_profile on outrider.lead (coalesce(workspace_id, ''), profile_id) where profile_id is not null and erased_at is null;
create unique index lead_email on outrider.lead (coalesce(workspace_id, ''), lower(email)) where email is not null and erased_at is null;
create index lead_name_company on outrider.lead (coalesce(workspace_id, ''), lower(full_name), company_key);
create index lead_person on outrider.lead (person_id);

-- Tags and notes belong to a workspace, also on shared leads. notes: [{noteId, text, author, at}]
create table outrider.lead_overlay (
  workspace_id text not null,
  lead_id uuid not null references outrider.lead (id),
  tags text[] not null default '{}',
  notes jsonb not null default '[]',
  last_contacted_at bigint,
  last_replied_at bigint,
  primary key (workspace_id, lead_id)
);
create index lead_overlay_tags on outrider.lead_overlay using gin (tags);

-- Leads imported for one campaign are candidates of that campaign only; leads without a row here, of every campaign.
create table outrider.campaign_lead (
  workspace_id text not null,
  campaign_id text not null references outrider.campaign (id),
  lead_id uuid not null references outrider.lead (id),
  added_at bigint not null,
  primary key (campaign_id, lead_id)
);
create index campaign_lead_lead on outrider.campaign_lead (workspace_id, lead_id);

create table outrider.lead_list (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text references outrider.campaign (id),
  name text not null,
  description text not null default '',
  type text not null check (type in ('static', 'query')),
  predicate jsonb,
  lead_count int not null default 0,
  last_materialized_at bigint,
  created_at bigint not null,
  deleted_at bigint
);
create index lead_list_workspace on outrider.lead_list (workspace_id, created_at desc, id);
create table outrider.lead_list_member (
  workspace_id text not null,
  lead_list_id uuid not null references outrider.lead_list (id),
  lead_id uuid not null references outrider.lead (id),
  added_at bigint not null,
  primary key (lead_list_id, lead_id)
);

create table outrider.lead_score (
  workspace_id text not null,
  campaign_id text not null,
  icp_id uuid not null references outrider.icp (id),
  lead_id uuid not null references outrider.lead (id),
  icp_score real not null,
  signal_score real not null,
  total real not null,
  reasons jsonb not null default '[]',
  computed_at bigint not null,
  primary key (icp_id, lead_id)
);
create index lead_score_pool on outrider.lead_score (campaign_id, total desc, lead_id);
create index lead_score_lead on outrider.lead_score (workspace_id, lead_id);

create table outrider.lead_import (
  id uuid primary key,
  workspace_id text not null,
  kind text not null default 'csv',
  key_id text,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  total int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  skipped int not null default 0,
  suppressed int not null default 0,
  failed int not null default 0,
  errors jsonb not null default '[]',
  source_note text,
  started_at bigint not null,
  finished_at bigint
);
create index lead_import_workspace on outrider.lead_import (workspace_id, started_at desc, id);

-- Suppression: checked at import, enrolment, review approval and dispatch. workspace_id null: agency or platform level.
create table outrider.suppression (
  id uuid primary key,
  workspace_id text,
  agency_id text,
  campaign_id text,
  level text not null check (level in ('campaign', 'workspace', 'agency', 'platform')),
  kind text not null check (kind in ('person', 'mail', 'domain', 'profile', 'name_company', 'keyword')),
  value text not null,
  person_id uuid,
  applies_to text not null default 'all_outreach' check (applies_to in ('signals', 'all_outreach')),
  source text not null,
  reason text not null default '',
  removable boolean not null default true,
  created_by text not null default '',
  created_at bigint not null,
  expires_at bigint
);
create index suppression_person on outrider.suppression (person_id);
create index suppression_value on outrider.suppression (kind, value);
create index suppression_workspace on outrider.suppression (workspace_id, created_at desc);
