-- Companies: shared like the lead pool, or a workspace's own where only its private leads know them.
set local search_path = outrider, app, public;

create table outrider.company (
  id uuid primary key,
  workspace_id text,                        -- null: shared
  name text not null default '',
  company_key text not null default '',     -- normalised name, for matching
  domain text not null default '',
  website text not null default '',
  industry text not null default '',
  company_size text not null default '',
  size_least int generated always as (substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '^>{0,1}([0-9]{1,9})')::int) stored,
  size_most int generated always as (case when regexp_replace(company_size, '[^0-9+>–-]', '', 'g') ~ '^>|[+]$' then 2147483647
    else substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '([0-9]{1,9})$')::int end) stored,
  headcount int,
  headcount_growth_pct real,
  location text not null default '',
  funding_stage text not null default '',
  last_funding_at bigint,
  technologies text[] not null default '{}',
  profile_url text not null default '',
  enriched_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  search tsvector generated always as (to_tsvector('simple', name || ' ' || domain)) stored
);
create unique index company_domain on outrider.company (coalesce(workspace_id, ''), domain) where domain <> '';
create unique index company_name on outrider.company (coalesce(workspace_id, ''), company_key) where domain = '' and company_key <> '';
create index company_key on outrider.company (company_key, coalesce(workspace_id, ''));
create index company_shared on outrider.company (id) where workspace_id is null;
create index company_private on outrider.company (workspace_id, id) where workspace_id is not null;
create index company_search on outrider.company using gin (search);
create index company_industry on outrider.company using gin (industry gin_trgm_ops);
create index company_location on outrider.company using gin (location gin_trgm_ops);
create index company_words on outrider.company using gin ((name || ' ' || industry) gin_trgm_ops);
create index company_funding on outrider.company (last_funding_at) where last_funding_at is not null;
create index company_growth on outrider.company (headcount_growth_pct) where headcount_growth_pct is not null;

alter table outrider.company enable row level security;
alter table outrider.company force row level security;
create policy owner_all on outrider.company to outrider_owner using (true) with check (true);
create policy definer_all on outrider.company to outrider_definer using (true) with check (true);
create policy app_visible on outrider.company to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy app_shared on outrider.company for select to outrider_app using (workspace_id is null);
create policy executor_claim on outrider.company for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy executor_shared on outrider.company for select to outrider_executor using (workspace_id is null);
grant select, insert, update, delete on outrider.company to outrider_app, outrider_definer;
grant select on outrider.company to outrider_executor;

alter table outrider.lead add column company_id uuid references outrider.company (id);
create index lead_company on outrider.lead (company_id, id) where company_id is not null;

-- A UUIDv7: rows of one time lie together, and the newest come last.
create function app.new_id() returns uuid language sql volatile
  as $$
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
  $$;

-- The company that a lead of workspace p_workspace ('': of the pool) is at: by domain the shared one, else the
-- workspace's own; by name alone only where one company has it.
create function app.company_of(p_workspace text, p_domain text, p_key text) returns uuid
  language sql stable set search_path = outrider, app, pg_catalog
  as $$
    select case
      when p_domain <> '' then
        (select c.id from company c where c.domain = p_domain and coalesce(c.workspace_id, '') in ('', p_workspace) order by c.workspace_id nulls first limit 1)
      when p_key <> '' then coalesce(
        (select min(c.id::text)::uuid from company c where c.company_key = p_key and coalesce(c.workspace_id, '') = p_workspace having count(*) = 1),
        (select c.id from company c where c.company_key = p_key and coalesce(c.workspace_id, '') = p_workspace and c.domain = ''),
        (select min(c.id::text)::uuid from company c where c.company_key = p_key and c.workspace_id is null having count(*) = 1))
      end
  $$;

-- Gives leads their company; what nobody knows yet is made, private for a private lead. One look-up per company, not per lead.
create function app.link_companies(p_leads uuid[], p_now bigint) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    with asked as materialized (
      select distinct on (1, 2, 3) coalesce(l.workspace_id, '') as ws, l.company_domain as domain, case when l.company_domain = '' then l.company_key else '' end as key,
        l.company, l.company_key, l.industry, l.company_size
      from lead l
      where l.id = any (p_leads) and l.erased_at is null and (l.company_domain <> '' or l.company_key <> '')
        and (l.workspace_id is null or app.may_use(l.workspace_id))
      order by 1, 2, 3, l.id
    )
    insert into company (id, workspace_id, name, company_key, domain, website, industry, company_size, created_at, updated_at)
      select app.new_id(), nullif(a.ws, ''), a.company, a.company_key, a.domain,
             case when a.domain <> '' then 'https://' || a.domain else '' end, a.industry, a.company_size, p_now, p_now
      from asked a where app.company_of(a.ws, a.domain, a.key) is null
      on conflict do nothing;
    with found as materialized (
      select g.ws, g.domain, g.key, app.company_of(g.ws, g.domain, g.key) as company_id
      from (select distinct coalesce(l.workspace_id, '') as ws, l.company_domain as domain, case when l.company_domain = '' then l.company_key else '' end as key
            from lead l where l.id = any (p_leads)) g
    )
    update lead l set company_id = f.company_id from found f
      where l.id = any (p_leads) and l.erased_at is null and coalesce(l.workspace_id, '') = f.ws and l.company_domain = f.domain
        and (case when l.company_domain = '' then l.company_key else '' end) = f.key
        and (l.workspace_id is null or app.may_use(l.workspace_id)) and l.company_id is distinct from f.company_id;
  end $$;

alter function app.link_companies(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.new_id(), app.company_of(text, text, text), app.link_companies(uuid[], bigint) from public;
grant execute on function app.new_id(), app.company_of(text, text, text) to outrider_definer;
grant execute on function app.link_companies(uuid[], bigint) to outrider_app;

-- Leads that are there already, once.
do $$
begin
  perform set_config('app.platform', 'on', true);
  insert into company (id, workspace_id, name, company_key, domain, website, industry, company_size, created_at, updated_at)
    select app.new_id(), l.workspace_id, l.company, l.company_key, l.company_domain,
           case when l.company_domain <> '' then 'https://' || l.company_domain else '' end, l.industry, l.company_size, l.created_at, l.updated_at
    from lead l where l.erased_at is null and (l.company_domain <> '' or l.company_key <> '')
    order by l.workspace_id nulls first, l.id
    on conflict do nothing;
  update lead l set company_id = app.company_of(coalesce(l.workspace_id, ''), l.company_domain, l.company_key)
    where l.erased_at is null and (l.company_domain <> '' or l.company_key <> '');
end $$;
