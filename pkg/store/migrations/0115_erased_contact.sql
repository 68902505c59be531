-- Nobody contacts a person who was erased in the workspace, also one whom the pool learns of later.
set local search_path = outrider, app, public;

-- One form of a mail address, as the program makes it (mail-identity): without tag, and without dots where they mean nothing.
create function app.mail_identity(p_mail text) returns text language sql immutable
  as $$
    select case when m.host in ('gmail.com', 'googlemail.com') then replace(m.name, '.', '') || '@gmail.com' else m.name || '@' || m.host end
    from (select regexp_replace(split_part(lower(trim(p_mail)), '@', 1), '(.)\+.*$', '\1') as name, split_part(lower(trim(p_mail)), '@', 2) as host) m
  $$;

-- Which of these leads must not be contacted, and by which source of suppression (one each), erasure among them. The
-- forms that cost time are made only while anybody uses that kind.
create or replace function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as (select id, agency_id from workspace where id = p_workspace and app.may_use(p_workspace)),
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
    ),
    found as (
      select hit.id, s.source
      from hit join suppression s on s.id = hit.suppression_id cross join w
      where s.applies_to = 'all_outreach' and (s.expires_at is null or s.expires_at > p_now)
        and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
          or (s.level = 'workspace' and s.workspace_id = w.id) or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign))
      union all
      select l.id, 'erasure' from l cross join w cross join lateral (
          values ('mail:' || app.mail_identity(l.email)), ('profile:' || l.profile_id)) i (identity)
        where (select exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace)) and i.identity is not null
          and exists (select 1 from erasure_tombstone t where t.workspace_id = p_workspace and t.hash = app.erasure_hash(p_workspace, i.identity))
    )
    select distinct on (found.id) found.id, found.source from found order by found.id, found.source
  $$;
grant execute on function app.mail_identity(text) to outrider_definer, outrider_app;
revoke execute on function app.mail_identity(text) from public;
