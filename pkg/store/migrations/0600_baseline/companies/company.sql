-- A company that leads are at: shared, or a workspace's own where only its private leads know it. Made for leads (app.make_companies), filled by
-- what tells of companies; a private one goes with the erasure of its last lead or the purge of the workspace. Source: catalog record Company.
create table outrider.company (
  id uuid primary key,
  -- null: shared
  workspace_id text,
  name text not null default '',
  -- normalised name, for matching
  company_key text not null default '',
  -- lower case, without www; '' where nobody knows it
  domain text not null default '',
  website text not null default '',
  industry text not null default '',
  -- as it was told: '51-200', '10001+', '120'
  company_size text not null default '',
  -- ends of company_size; null where it cannot be read
  size_least int generated always as (substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '^>{0,1}([0-9]{1,9})')::int) stored,
  size_most int generated always as (case when regexp_replace(company_size, '[^0-9+>–-]', '', 'g') ~ '^>|[+]$' then 2147483647
    else substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '([0-9]{1,9})$')::int end) stored,
  headcount int,
  -- percent
  headcount_growth_pct real,
  location text not null default '',
  funding_stage text not null default '',
  -- epoch ms UTC, as all times here
  last_funding_at bigint,
  technologies text[] not null default '{}',
  profile_url text not null default '',
  -- null: never
  enriched_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  search tsvector generated always as (to_tsvector('simple', name || ' ' || domain)) stored
);

-- A domain is one company, shared and of each workspace.
create unique index company_domain on outrider.company (coalesce(workspace_id, ''), domain) where domain <> '';
create index company_funding on outrider.company (last_funding_at) where last_funding_at is not null;
create index company_growth on outrider.company (headcount_growth_pct) where headcount_growth_pct is not null;
create index company_industry on outrider.company using gin (industry public.gin_trgm_ops);
-- Companies by name, whatever their domain.
create index company_key on outrider.company (company_key, coalesce(workspace_id, ''));
create index company_location on outrider.company using gin (location public.gin_trgm_ops);
-- So is a name, where there is no domain.
create unique index company_name on outrider.company (coalesce(workspace_id, ''), company_key) where domain = '' and company_key <> '';
-- Own ones in the order of the search.
create index company_private on outrider.company (workspace_id, id) where workspace_id is not null;
-- Words of a search.
create index company_search on outrider.company using gin (search);
-- Shared ones in the order of the search.
create index company_shared on outrider.company (id) where workspace_id is null;
-- Keywords of a search.
create index company_words on outrider.company using gin ((name || ' ' || industry) public.gin_trgm_ops);

alter table outrider.company enable row level security;
alter table outrider.company force row level security;
create policy app_shared on outrider.company for select to outrider_app using (workspace_id is null);
create policy app_visible on outrider.company to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.company to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.company for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy executor_shared on outrider.company for select to outrider_executor using (workspace_id is null);
create policy owner_all on outrider.company to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.company to outrider_app;
grant select, insert, update, delete on outrider.company to outrider_definer;
grant select on outrider.company to outrider_executor;
