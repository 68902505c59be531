-- Makes the companies of leads that nobody knows yet (app.company_of), private ones for private leads, shared ones
-- for the pool. It asks once per company, not per lead; two callers at once make one company. p_now: epoch ms UTC,
-- product time.
create or replace function app.make_companies(p_leads uuid[], p_now bigint) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
    with homes as materialized (
      -- Asked once per workspace, not per lead.
      select d.id
      from (select distinct x.workspace_id as id from lead x where x.id = any (p_leads)) d
      where d.id is not null and app.may_use(d.id)
    ),
    asked as materialized (
      select distinct on (1, 2, 3)
        coalesce(l.workspace_id, '') as ws,
        l.company_domain as domain,
        case when l.company_domain = '' then l.company_key else '' end as key,
        l.company,
        l.company_key,
        l.industry,
        l.company_size
      from lead l
      where l.id = any (p_leads)
        and l.erased_at is null
        and (l.company_domain <> '' or l.company_key <> '')
        and (l.workspace_id is null or l.workspace_id in (select h.id from homes h))
      order by 1, 2, 3, l.id
    )
    insert into company (
      id, workspace_id, name, company_key, domain, website, industry, company_size, created_at, updated_at
    )
    select
      app.new_id(),
      nullif(a.ws, ''),
      a.company,
      a.company_key,
      a.domain,
      case when a.domain <> '' then 'https://' || a.domain else '' end,
      a.industry,
      a.company_size,
      p_now,
      p_now
    from asked a
    where app.company_of(a.ws, a.domain, a.key) is null
    on conflict do nothing
  $$;

alter function app.make_companies(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.make_companies(uuid[], bigint) from public;
