-- Exclusions of a workspace that shares them count in all workspaces of its agency. What a workspace learns of another's
-- exclusion is that the agency has one, by which source; never whose it is nor why.
set local search_path = outrider, app, public;

create index workspace_agency on outrider.workspace (agency_id) where agency_id is not null and deleted_at is null;

-- The other workspaces of the agency whose exclusions count here too.
create function app.sharing_workspaces(p_workspace text) returns text[]
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(array_agg(o.id), '{}') from workspace w join workspace o on o.agency_id = w.agency_id and o.id <> w.id
    where w.id = p_workspace and w.agency_id <> '' and o.deleted_at is null and (o.settings ->> 'shareSuppressionWithAgency')::boolean
  $$;

-- Every exclusion that meets these leads, erasure among them. The forms that cost time are made only while anybody uses
-- that kind. A bounced address is the business of the mail node.
create function app.suppressions_of(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text, level text, removable boolean)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as materialized (select id, agency_id, app.sharing_workspaces(id) as sharing from workspace where id = p_workspace and app.may_use(p_workspace)),
    used as materialized (select exists (select 1 from suppression where kind = 'name_company') as name_company,
      exists (select 1 from suppression where kind = 'keyword') as keyword, exists (select 1 from suppression where kind = 'domain') as domain),
    l as materialized (
      select x.id, x.person_id, x.email, lower(x.email) as mail, x.profile_id,
        case when used.domain then app.domains_above(split_part(lower(x.email), '@', 2)) || app.domains_above(lower(x.company_domain)) end as domains,
        case when used.name_company and x.company_key <> '' then nullif(app.plain_words(x.full_name), '') || '@' || x.company_key end as name_company,
        case when used.keyword then ' ' || app.company_key(x.company) || ' | ' || app.company_key(x.title) || ' | ' || app.company_key(x.headline) || ' ' end as words
      from lead x cross join used where x.id = any (p_leads)
    ),
    hit as (
      select l.id, s.id as suppression_id from l join suppression s on s.person_id = l.person_id
      union all select l.id, s.id from l join suppression s on s.kind = 'person' and s.value = l.person_id::text
      union all select l.id, s.id from l join suppression s on s.kind = 'mail' and s.value in (l.mail, app.mail_hash(l.mail))
      union all select l.id, s.id from l join suppression s on s.kind = 'domain' and s.value = any (l.domains)
      union all select l.id, s.id from l join suppression s on s.kind = 'profile' and s.value = l.profile_id
      union all select l.id, s.id from l join suppression s on s.kind = 'name_company' and s.value = l.name_company
      union all select l.id, s.id from l join suppression s on s.kind = 'keyword' and s.value <> '' and position(' ' || s.value || ' ' in l.words) > 0
    )
    select hit.id, s.source, case when s.level = 'workspace' and s.workspace_id <> w.id then 'agency' else s.level end,
      s.removable and s.workspace_id = w.id and s.source not in ('unsubscribe', 'complaint', 'erasure')
    from hit join suppression s on s.id = hit.suppression_id cross join w
    where s.applies_to = 'all_outreach' and s.source <> 'bounce' and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing)))
        or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign))
    union all
    select l.id, 'erasure', 'workspace', false from l cross join w cross join lateral (
        values ('mail:' || app.mail_identity(l.email)), ('profile:' || l.profile_id)) i (identity)
      where (select exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace)) and i.identity is not null
        and exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace and t.hash = app.erasure_hash(p_workspace, i.identity))
  $$;

-- Which of these leads must not be contacted, and by which source of suppression (one each).
create or replace function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (f.lead_id) f.lead_id, f.source from app.suppressions_of(p_workspace, p_campaign, p_leads, p_now) f order by f.lead_id, f.source
  $$;

-- Whether a profile that no lead has is on a list of people not to contact.
create or replace function app.suppressed_profiles(p_workspace text, p_profiles text[], p_now bigint) returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as materialized (select id, agency_id, app.sharing_workspaces(id) as sharing from workspace where id = p_workspace and app.may_use(p_workspace)),
    hit as (
      select s.id, s.value from suppression s where s.kind = 'profile' and s.value = any (p_profiles)
      union all
      select s.id, a.value from person_alias a join suppression s on s.person_id = a.person_id where a.kind = 'profile' and a.value = any (p_profiles)
    )
    select distinct hit.value from hit join suppression s on s.id = hit.id cross join w
    where s.applies_to = 'all_outreach' and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing))))
  $$;

-- Addresses to which a mail of the workspace has bounced, or one of a workspace that shares its exclusions with it.
create or replace function app.bounced_addresses(p_workspace text, p_addresses text[]) returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct x.value from suppression x
    where x.kind = 'mail' and x.source = 'bounce' and x.value = any (p_addresses) and app.may_use(p_workspace)
      and x.workspace_id = any (app.sharing_workspaces(p_workspace) || p_workspace)
  $$;

do $$
declare f text;
begin
  foreach f in array array['sharing_workspaces(text)', 'suppressions_of(text, text, uuid[], bigint)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.suppressions_of(text, text, uuid[], bigint) to outrider_app;
