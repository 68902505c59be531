-- A lead: a record of a person, private to a workspace or in the pool that all see. Written by imports, tools, enrichments and the reading of
-- public profiles; erased leads stay as empty rows (runs and the ledger name them), all others for good. Ids are UUIDv7, so "newest first" is "by
-- id" in every index. Source: catalog record Lead.
create table outrider.lead (
  id uuid primary key,
  -- null: shared pool
  workspace_id text,
  -- who it is, over all workspaces; null until somebody asks (app.resolve_persons)
  person_id uuid references outrider.person(id),
  first_name text not null default '',
  last_name text not null default '',
  full_name text not null default '',
  headline text not null default '',
  title text not null default '',
  -- normalised: normalSeniority
  seniority text not null default '',
  company text not null default '',
  -- normalised company name, for matching
  company_key text not null default '',
  -- lower case, without www; '' where nobody knows it
  company_domain text not null default '',
  industry text not null default '',
  -- as it was told: '51-200', '10001+', '120'
  company_size text not null default '',
  location text not null default '',
  country text not null default '',
  -- IANA; null: not told
  timezone text,
  profile_url text not null default '',
  -- normalised public id of the profile
  profile_id text,
  email text,
  -- unknown, valid, risky, invalid, catch_all
  email_status text not null default 'unknown',
  phone text,
  -- field -> text
  custom_fields jsonb not null default '{}',
  -- field -> {source, at}
  provenance jsonb not null default '{}',
  -- epoch ms UTC, product time, as all times here
  created_at bigint not null,
  updated_at bigint not null,
  -- null: not erased
  erased_at bigint,
  search tsvector generated always as (to_tsvector('simple', full_name || ' ' || title || ' ' || company || ' ' || headline)) stored,
  -- null: not known (app.company_of)
  company_id uuid references outrider.company(id),
  -- ends of company_size; null where it cannot be read
  size_least int generated always as (substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '^>{0,1}([0-9]{1,9})')::int) stored,
  size_most int generated always as (case when regexp_replace(company_size, '[^0-9+>–-]', '', 'g') ~ '^>|[+]$' then 2147483647
    else substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '([0-9]{1,9})$')::int end) stored,
  -- transaction that last changed what searches look at (app.mark_lead_changed)
  changed_tx xid8 not null default pg_current_xact_id(),
  -- when its public profile was last read; null: never
  enriched_at bigint
);

-- What a list that is a search has to look at again.
create index lead_changed on outrider.lead (changed_tx);
create index lead_company on outrider.lead (company_id, id) where company_id is not null;
-- All filters of the search in one index, so that it skips through the common ones to where the rare one is.
create index lead_criteria on outrider.lead using gin (app.lead_times(id), search, title public.gin_trgm_ops, industry public.gin_trgm_ops,
  (location || ' ' || country) public.gin_trgm_ops, (headline || ' ' || title || ' ' || company) public.gin_trgm_ops,
  app.lead_facets(workspace_id, seniority, company_size, size_least, size_most, email))
  with (gin_pending_list_limit = 512) where erased_at is null;
-- An address is one lead of a workspace, and one of the pool.
create unique index lead_email on outrider.lead (coalesce(workspace_id, ''), lower(email)) where email is not null and erased_at is null;
-- Who is entered again without an address.
create index lead_name_company on outrider.lead (coalesce(workspace_id, ''), lower(full_name), company_key);
create index lead_person on outrider.lead (person_id);
-- Own leads in the order of the search.
create index lead_private_scored on outrider.lead (workspace_id, id) where workspace_id is not null and erased_at is null;
create unique index lead_profile on outrider.lead (coalesce(workspace_id, ''), profile_id) where profile_id is not null and erased_at is null;
-- The pool in the order of the search.
create index lead_shared on outrider.lead (id) where workspace_id is null and erased_at is null;
create index lead_workspace on outrider.lead (workspace_id, created_at desc, id);

alter table outrider.lead enable row level security;
alter table outrider.lead force row level security;
create policy app_shared_pool on outrider.lead for select to outrider_app using (workspace_id is null);
create policy app_visible on outrider.lead to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy executor_shared_pool on outrider.lead for select to outrider_executor using (workspace_id is null);
create policy owner_all on outrider.lead to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead to outrider_app;
grant select, insert, update, delete on outrider.lead to outrider_definer;
grant select on outrider.lead to outrider_executor;

create trigger forget_mail_status before update of email on outrider.lead for each row
  when (lower(new.email) is distinct from lower(old.email)) execute function app.forget_mail_status();
create trigger lead_changed before update on outrider.lead for each row
  when ((old.full_name, old.title, old.headline, old.company, old.industry, old.company_size, old.seniority, old.location, old.country, old.email,
      old.erased_at, old.company_id)
    is distinct from (new.full_name, new.title, new.headline, new.company, new.industry, new.company_size, new.seniority, new.location, new.country,
      new.email, new.erased_at, new.company_id))
  execute function app.mark_lead_changed();
