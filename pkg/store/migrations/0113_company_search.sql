-- Search of companies, in the two steps of the search of leads; and what a workspace knows of its contact with one.
set local search_path = outrider, app, public;

create function app.company_criteria(p_workspace text, p jsonb) returns text language plpgsql immutable
  as $$
  declare
    parts text[] := array[format('(c.workspace_id is null or c.workspace_id = %L)', p_workspace)];
    sizes text;
  begin
    if p ? 'words' then parts := parts || format('c.search @@ to_tsquery(''simple'', %L)', p ->> 'words'); end if;
    if p ? 'industries' then parts := parts || format('c.industry ilike any (%L::text[])', app.texts(p -> 'industries')); end if;
    if p ? 'keywords' then parts := parts || format('(c.name || '' '' || c.industry) ilike any (%L::text[])', app.texts(p -> 'keywords')); end if;
    if p ? 'locations' then parts := parts || format('c.location ilike any (%L::text[])', app.texts(p -> 'locations')); end if;
    if p ? 'sizes' then
      select string_agg(format(' or (c.size_least <= %s and c.size_most >= %s)', (r ->> 1)::int, (r ->> 0)::int), '') into sizes
        from jsonb_array_elements(p -> 'ranges') r;
      parts := parts || format('(c.company_size = any (%L::text[])%s)', app.texts(p -> 'sizes'), coalesce(sizes, ''));
    end if;
    if p ? 'minGrowth' then parts := parts || format('c.headcount_growth_pct >= %L::float8', p ->> 'minGrowth'); end if;
    if p ? 'fundedSince' then parts := parts || format('c.last_funding_at >= %L::bigint', p ->> 'fundedSince'); end if;
    return array_to_string(parts, ' and ');
  end $$;

create function app.company_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language sql immutable
  as $$
    select format('with walk as materialized (select id from ((select c.id from company c where c.workspace_id is null and c.id < %1$L::uuid order by c.id desc limit %3$s) union all (select c.id from company c where c.workspace_id = %2$L and c.workspace_id is not null and c.id < %1$L::uuid order by c.id desc limit %3$s)) u order by id desc limit %3$s)
        select array(select c.id from walk w cross join lateral (select * from company x where x.id = w.id offset 0) c where %4$s order by c.id desc limit %5$s), (select count(*)::int from walk), (select w.id from walk w order by w.id limit 1)',
      coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_workspace, p_walk, app.company_criteria(p_workspace, p), p_limit)
  $$;
create function app.company_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language sql immutable
  as $$
    select format('select id from (select c.id from company c where c.id < %L::uuid and %s offset 0) g order by id desc limit %s',
      p_before, app.company_criteria(p_workspace, p), p_limit)
  $$;

create function app.find_companies(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
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
alter function app.find_companies(text, jsonb, uuid, int) owner to outrider_definer;
revoke execute on function app.company_criteria(text, jsonb), app.company_walk_sql(text, jsonb, uuid, int, int), app.company_gather_sql(text, jsonb, uuid, int),
  app.find_companies(text, jsonb, uuid, int) from public;
grant execute on function app.company_criteria(text, jsonb), app.company_walk_sql(text, jsonb, uuid, int, int), app.company_gather_sql(text, jsonb, uuid, int) to outrider_definer;
grant execute on function app.find_companies(text, jsonb, uuid, int) to outrider_app;

-- The latest contact of the agency's other workspaces with people of a company: a time, never whose.
create function app.company_contact_elsewhere(p_workspace text, p_company uuid) returns bigint
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select max(g.last_at) from lead l join contact_log g on g.person_id = l.person_id
      join workspace other on other.id = g.workspace_id join workspace own on own.id = p_workspace
    where l.company_id = p_company and app.may_use(p_workspace) and own.agency_id is not null and other.agency_id = own.agency_id and other.id <> own.id
  $$;
alter function app.company_contact_elsewhere(text, uuid) owner to outrider_definer;
revoke execute on function app.company_contact_elsewhere(text, uuid) from public;
grant execute on function app.company_contact_elsewhere(text, uuid) to outrider_app;
