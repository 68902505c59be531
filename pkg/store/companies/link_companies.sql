-- Gives leads their company by domain or name, and makes the companies that nobody knows yet, private ones for
-- private leads. It asks once per company, not per lead, and leaves a lead without one whose company can't be told.
-- p_leads: leads of the caller's workspaces or of the pool; others are passed over. p_now: epoch ms UTC, product
-- time. It serves writes of a single lead or profile; imports use app.complete_leads.
create or replace function app.link_companies(p_leads uuid[], p_now bigint) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
  begin
    perform app.make_companies(p_leads, p_now);
    with found as materialized (
      select g.ws, g.domain, g.key, app.company_of(g.ws, g.domain, g.key) as company_id
      from (
        select distinct
          coalesce(l.workspace_id, '') as ws,
          l.company_domain as domain,
          case when l.company_domain = '' then l.company_key else '' end as key
        from lead l
        where l.id = any (p_leads)
      ) g
    )
    update lead l
    set company_id = f.company_id
    from found f
    where l.id = any (p_leads)
      and l.erased_at is null
      and coalesce(l.workspace_id, '') = f.ws
      and l.company_domain = f.domain
      and (case when l.company_domain = '' then l.company_key else '' end) = f.key
      and (l.workspace_id is null or app.may_use(l.workspace_id))
      and l.company_id is distinct from f.company_id;
  end $$;

alter function app.link_companies(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.link_companies(uuid[], bigint) from public;
grant execute on function app.link_companies(uuid[], bigint) to outrider_app;
