-- Suppression compares in the forms of pkg/domain/person-identity.ts; a test compares the two on the same values.
set local search_path = outrider, app, public;

-- Letters and digits without accents in lower case, one space between words.
create function app.plain_words(p_text text) returns text language sql immutable parallel safe
  as $$
    select btrim(regexp_replace(
      replace(lower(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]', '', 'g')), 'ς', 'σ'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]+', ' ', 'g'))
  $$;

-- The form of a company's name: no accents, punctuation, legal form.
create function app.company_key(p_name text) returns text language sql immutable parallel safe
  as $$
    with x as (select app.plain_words(regexp_replace(replace(replace(p_name, 'ß', 'ss'), '&', ' and '), '[.'']', '', 'g')) as plain)
    select coalesce(nullif(btrim(regexp_replace(regexp_replace(plain,
      '(?<=^| )(inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|plc|gmbh|ag|kg|kgaa|ug|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|aps|pty|sp z o o|zrt|kft|group|holding)(?= |$)',
      ' ', 'g'), ' +', ' ', 'g')), ''), plain) from x
  $$;

-- A domain and the domains above it, but for the top one: mail.acme.com is also acme.com.
create function app.domains_above(p_domain text) returns text[] language sql immutable parallel safe
  as $$
    select coalesce(array_agg(array_to_string(part[n:], '.')), '{}')
    from (select string_to_array(p_domain, '.') as part) x, generate_series(1, cardinality(part) - 1) n
  $$;

-- Which of these leads must not be contacted, and by which source of suppression (one each). The forms that cost time are
-- made only while anybody uses that kind.
create or replace function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as (select id, agency_id from workspace where id = p_workspace and app.may_use(p_workspace)),
    used as materialized (select exists (select 1 from suppression where kind = 'name_company') as name_company,
      exists (select 1 from suppression where kind = 'keyword') as keyword, exists (select 1 from suppression where kind = 'domain') as domain),
    l as materialized (
      select x.id, x.person_id, lower(x.email) as mail, x.profile_id,
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
    select distinct on (hit.id) hit.id, s.source
    from hit join suppression s on s.id = hit.suppression_id cross join w
    where s.applies_to = 'all_outreach' and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and s.workspace_id = w.id) or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign))
    order by hit.id, s.source
  $$;

grant execute on function app.plain_words(text), app.company_key(text), app.domains_above(text) to outrider_definer, outrider_app, outrider_executor;
