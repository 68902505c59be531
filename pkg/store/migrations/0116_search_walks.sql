-- Search: walks that stay walks. Each half of the pool and of the own leads has its own order and bound; candidates are
-- judged one by one (offset 0), since a criterion that drives the plan reads the whole index of a common word; the first
-- walk is short, and one that found some goes on before everything is gathered. Suppression: the forms of 0060 and erasure.
set local search_path = outrider, app, public;

drop index if exists outrider.lead_private;
create index if not exists lead_private_scored on outrider.lead (workspace_id, id) where workspace_id is not null and erased_at is null;

create or replace function app.lead_walk(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language plpgsql immutable
  as $$
  declare
    before text := format('%L::uuid', coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
    shared text := format('select l.id from lead l where l.workspace_id is null and l.erased_at is null and l.id < %s', before);
    own text := format('select l.id from lead l where l.workspace_id = %L and l.workspace_id is not null and l.erased_at is null and l.id < %s', p_workspace, before);
  begin
    if p ? 'companyId' then
      return format('select l.id from lead l where l.company_id = %L::uuid and l.id < %s order by l.id desc limit %s', p ->> 'companyId', before, p_limit);
    elsif p ? 'leadListId' then
      return format('select m.lead_id as id from lead_list_member m where m.lead_list_id = %L::uuid and m.workspace_id = %L and m.lead_id < %s order by m.lead_id desc limit %s',
        p ->> 'leadListId', p_workspace, before, p_limit);
    elsif p ? 'tags' then
      return format('select o.lead_id as id from lead_overlay o where o.workspace_id = %L and o.lead_id < %s order by o.lead_id desc limit %s', p_workspace, before, p_limit);
    elsif p ? 'minScore' then
      return format('select s.lead_id as id from lead_score s where s.campaign_id = %L and s.lead_id < %s order by s.lead_id desc limit %s', p ->> 'campaignId', before, p_limit);
    elsif p ->> 'visibility' = 'shared' then return format('%s order by id desc limit %s', shared, p_limit);
    elsif p ->> 'visibility' = 'private' then return format('%s order by id desc limit %s', own, p_limit);
    end if;
    -- Each half in its own order and bound: both are walks then, whatever the planner thinks of their union.
    return format('select id from ((%s order by id desc limit %s) union all (%s order by id desc limit %s)) u order by id desc limit %s', shared, p_limit, own, p_limit, p_limit);
  end $$;

create or replace function app.lead_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language sql immutable
  as $$
    select format('with walk as materialized (%s) select array(select %s l.id from walk w cross join lateral (select * from lead x where x.id = w.id offset 0) l where %s and %s and %s order by l.id desc limit %s), (select count(*)::int from walk), (select w.id from walk w order by w.id limit 1)',
      app.lead_walk(p_workspace, p, p_before, p_walk), case when p ? 'minScore' then 'distinct' else '' end, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p), p_limit)
  $$;

create or replace function app.find_leads(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
  language plpgsql stable security definer set search_path = outrider, app, public, pg_catalog
  set random_page_cost = 1.1 set jit = off set enable_seqscan = off set max_parallel_workers_per_gather = 0
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    behind uuid := p_before;
    last_id uuid;
    most int;
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Most pages are full after a few hundred leads; what is rarer than one in a hundred or so is gathered by index.
    foreach most in array array[300, case when p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then 2000 else 4000 end] loop
      execute app.lead_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
    end loop;
    -- Where the walk found some, going on a little costs less than gathering every match there is.
    most := most * (p_limit - cardinality(found_ids)) * 2 / greatest(1, cardinality(found_ids));
    if most <= 12000 then
      execute app.lead_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
    end if;
    execute format('select array(%s)', app.lead_gather_sql(p_workspace, p, behind, p_limit - cardinality(found_ids))) into more_ids;
    return found_ids || more_ids;
  end $$;

create or replace function app.company_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language sql immutable
  as $$
    select format('with walk as materialized (select id from ((select c.id from company c where c.workspace_id is null and c.id < %1$L::uuid order by c.id desc limit %3$s) union all (select c.id from company c where c.workspace_id = %2$L and c.workspace_id is not null and c.id < %1$L::uuid order by c.id desc limit %3$s)) u order by id desc limit %3$s)
        select array(select c.id from walk w cross join lateral (select * from company x where x.id = w.id offset 0) c where %4$s order by c.id desc limit %5$s), (select count(*)::int from walk), (select w.id from walk w order by w.id limit 1)',
      coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_workspace, p_walk, app.company_criteria(p_workspace, p), p_limit)
  $$;

create or replace function app.find_companies(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
  language plpgsql stable security definer set search_path = outrider, app, public, pg_catalog
  set random_page_cost = 1.1 set jit = off set enable_seqscan = off set max_parallel_workers_per_gather = 0
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    behind uuid := p_before;
    last_id uuid;
    most int;
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    foreach most in array array[300, 4000] loop
      execute app.company_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
    end loop;
    execute format('select array(%s)', app.company_gather_sql(p_workspace, p, behind, p_limit - cardinality(found_ids))) into more_ids;
    return found_ids || more_ids;
  end $$;

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
