-- Search of a pool of millions in pages of milliseconds. Ids of leads are UUIDv7, so "newest first" is "by id" in every
-- index. The search runs as definer: under row-level security a condition that may leak (ilike, @@) must not use an
-- index before the policy was asked, which makes every search a scan. The tenant is a condition of the statement
-- instead, and app.may_use is asked first. Candidates are judged one by one (offset 0), since a criterion that drives the
-- plan reads the whole index of a common word; the first walk is short, and one that found some goes on before everything
-- is gathered.
set local search_path = outrider, app, public;

alter table outrider.lead
  add column size_least int generated always as (substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '^>{0,1}([0-9]{1,9})')::int) stored,
  add column size_most int generated always as (case when regexp_replace(company_size, '[^0-9+>–-]', '', 'g') ~ '^>|[+]$' then 2147483647
    else substring(regexp_replace(company_size, '[^0-9+>–-]', '', 'g') from '([0-9]{1,9})$')::int end) stored;

create index lead_shared on outrider.lead (id) where workspace_id is null and erased_at is null;
create index lead_private_scored on outrider.lead (workspace_id, id) where workspace_id is not null and erased_at is null;
-- A short pending list: what is not in the index yet is read by every search.
alter index outrider.lead_search set (gin_pending_list_limit = 512);
create index lead_title on outrider.lead using gin (title gin_trgm_ops) with (gin_pending_list_limit = 512);
create index lead_industry on outrider.lead using gin (industry gin_trgm_ops) with (gin_pending_list_limit = 512);
create index lead_place on outrider.lead using gin ((location || ' ' || country) gin_trgm_ops) with (gin_pending_list_limit = 512);
create index lead_words on outrider.lead using gin ((headline || ' ' || title || ' ' || company) gin_trgm_ops) with (gin_pending_list_limit = 512);
create index lead_size on outrider.lead (size_least, size_most);
create index lead_score_page on outrider.lead_score (campaign_id, lead_id);

-- Tags are a workspace's own; one entry per workspace and tag.
create function app.tag_keys(p_workspace text, p_tags text[]) returns text[] language sql immutable parallel safe
  as $$ select coalesce(array_agg(p_workspace || ':' || t), '{}') from unnest(p_tags) t $$;
create index lead_overlay_tag_keys on outrider.lead_overlay using gin (app.tag_keys(workspace_id, tags)) where tags <> '{}';
drop index outrider.lead_overlay_tags;

-- A JSON list of texts as an array.
create function app.texts(p_list jsonb) returns text[] language sql immutable
  as $$ select coalesce(array_agg(t), '{}') from jsonb_array_elements_text(p_list) t $$;

-- The conditions of a search on lead l, as SQL with quoted literals. p: {words (tsquery), titles, industries, keywords,
-- locations (LIKE patterns), seniorities, sizes, ranges [[least, most]], hasEmail, companyId}.
create function app.lead_criteria(p jsonb) returns text language plpgsql immutable
  as $$
  declare
    parts text[] := array['l.erased_at is null'];
    sizes text;
  begin
    if p ? 'words' then parts := parts || format('l.search @@ to_tsquery(''simple'', %L)', p ->> 'words'); end if;
    if p ? 'titles' then parts := parts || format('l.title ilike any (%L::text[])', app.texts(p -> 'titles')); end if;
    if p ? 'industries' then parts := parts || format('l.industry ilike any (%L::text[])', app.texts(p -> 'industries')); end if;
    if p ? 'keywords' then
      parts := parts || format('(l.headline || '' '' || l.title || '' '' || l.company) ilike any (%L::text[])', app.texts(p -> 'keywords'));
    end if;
    if p ? 'locations' then parts := parts || format('(l.location || '' '' || l.country) ilike any (%L::text[])', app.texts(p -> 'locations')); end if;
    if p ? 'seniorities' then parts := parts || format('l.seniority = any (%L::text[])', app.texts(p -> 'seniorities')); end if;
    if p ? 'sizes' then
      select string_agg(format(' or (l.size_least <= %s and l.size_most >= %s)', (r ->> 1)::int, (r ->> 0)::int), '') into sizes
        from jsonb_array_elements(p -> 'ranges') r;
      parts := parts || format('(l.company_size = any (%L::text[])%s)', app.texts(p -> 'sizes'), coalesce(sizes, ''));
    end if;
    if p ? 'hasEmail' then parts := parts || case when (p ->> 'hasEmail')::boolean then 'l.email is not null' else 'l.email is null' end; end if;
    if p ? 'companyId' then parts := parts || format('l.company_id = %L::uuid', p ->> 'companyId'); end if;
    return array_to_string(parts, ' and ');
  end $$;

-- Where a lead of the search may lie: the pool, the workspace's own, or both.
create function app.lead_tenant(p_workspace text, p jsonb) returns text language sql immutable
  as $$
    select case p ->> 'visibility' when 'shared' then 'l.workspace_id is null' when 'private' then format('l.workspace_id = %L', p_workspace)
      else format('(l.workspace_id is null or l.workspace_id = %L)', p_workspace) end
  $$;

-- What a search asks of the workspace's own data on lead l: list, tags, score.
create function app.lead_belonging(p_workspace text, p jsonb) returns text language plpgsql immutable
  as $$
  declare parts text[] := array['true'];
  begin
    if p ? 'leadListId' then
      parts := parts || format('exists (select 1 from lead_list_member m where m.lead_list_id = %L::uuid and m.workspace_id = %L and m.lead_id = l.id)', p ->> 'leadListId', p_workspace);
    end if;
    if p ? 'tags' then
      parts := parts || format('exists (select 1 from lead_overlay o where o.workspace_id = %L and o.lead_id = l.id and o.tags @> %L::text[])', p_workspace, app.texts(p -> 'tags'));
    end if;
    if p ? 'minScore' then
      parts := parts || format('exists (select 1 from lead_score s where s.campaign_id = %L and s.workspace_id = %L and s.lead_id = l.id and s.total >= %L::real)',
        p ->> 'campaignId', p_workspace, p ->> 'minScore');
    end if;
    return array_to_string(parts, ' and ');
  end $$;

-- Ids in the order of the search, newest first, from before p_before on: the smallest set that an index walks in that
-- order. A list, a score or a tag narrows more than the pool.
create function app.lead_walk(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language plpgsql immutable
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

-- Statement of the first step: walk a bounded number of ids in order and judge them. Columns: found, walked, last.
create function app.lead_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language sql immutable
  as $$
    select format('with walk as materialized (%s) select array(select %s l.id from walk w cross join lateral (select * from lead x where x.id = w.id offset 0) l where %s and %s and %s order by l.id desc limit %s), (select count(*)::int from walk), (select w.id from walk w order by w.id limit 1)',
      app.lead_walk(p_workspace, p, p_before, p_walk), case when p ? 'minScore' then 'distinct' else '' end, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p), p_limit)
  $$;

-- Statement of the second step, when the walk found too few: matches are rare, so all of them are gathered by index and
-- sorted. The inner select has no order, so that no plan walks on.
create function app.lead_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language sql immutable
  as $$
    select format('select id from (select l.id from lead l where l.id < %L::uuid and %s and %s and %s%s offset 0) g order by id desc limit %s',
      p_before, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p),
      case when p ? 'tags' then format(' and l.id in (select o.lead_id from lead_overlay o where o.tags <> ''{}'' and app.tag_keys(o.workspace_id, o.tags) @> %L::text[])',
        app.tag_keys(p_workspace, app.texts(p -> 'tags'))) else '' end, p_limit)
  $$;

-- A page of a search: ids newest first, before p_before (null: from the newest).
create function app.find_leads(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
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

-- Which of the given leads a search finds, in no order.
create function app.match_leads(p_workspace text, p jsonb, p_leads uuid[]) returns uuid[]
  language plpgsql stable security definer set search_path = outrider, app, public, pg_catalog
  as $$
  declare found_ids uuid[];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    execute format('select array(select l.id from lead l where l.id = any (%L::uuid[]) and %s and %s and %s)',
      p_leads, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p)) into found_ids;
    return found_ids;
  end $$;

alter function app.find_leads(text, jsonb, uuid, int) owner to outrider_definer;
alter function app.match_leads(text, jsonb, uuid[]) owner to outrider_definer;
revoke execute on function app.tag_keys(text, text[]), app.texts(jsonb), app.lead_criteria(jsonb), app.lead_tenant(text, jsonb), app.lead_belonging(text, jsonb),
  app.lead_walk(text, jsonb, uuid, int), app.lead_walk_sql(text, jsonb, uuid, int, int), app.lead_gather_sql(text, jsonb, uuid, int),
  app.find_leads(text, jsonb, uuid, int), app.match_leads(text, jsonb, uuid[]) from public;
grant execute on function app.tag_keys(text, text[]) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.texts(jsonb), app.lead_criteria(jsonb), app.lead_tenant(text, jsonb), app.lead_belonging(text, jsonb),
  app.lead_walk(text, jsonb, uuid, int), app.lead_walk_sql(text, jsonb, uuid, int, int), app.lead_gather_sql(text, jsonb, uuid, int) to outrider_definer;
grant execute on function app.find_leads(text, jsonb, uuid, int), app.match_leads(text, jsonb, uuid[]) to outrider_app, outrider_executor, outrider_definer;
