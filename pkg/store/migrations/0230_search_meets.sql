-- The second step of a search for leads when its filters are common alone and rare together. One GIN index holds all of
-- them, so that it skips through the common ones to where the rare one is (separate indexes are each read to the end
-- before their bitmaps meet). A sample of the walk says which filters are rare, since under row-level security the
-- planner does not know. Where the newest leads are mostly the workspace's own, those and the pool are searched apart: what
-- is rare among the ones may be common among the others.
set local search_path = outrider, app, public;

-- Bands of head counts that a range touches. As an expression without a call: each lead that an index finds is rechecked.
create function app.size_bands(p_least int, p_most int) returns text[] language sql immutable parallel safe
  as $$ select (array['b:0', 'b:1', 'b:2', 'b:3', 'b:4', 'b:5', 'b:6', 'b:7', 'b:8'])[width_bucket(p_least, array[1, 11, 51, 201, 501, 1001, 5001, 10001]) + 1
    : width_bucket(p_most, array[1, 11, 51, 201, 501, 1001, 5001, 10001]) + 1] $$;
-- What a lead is filtered by besides its texts: tenant, seniority, size and whether the mail address is known.
create function app.lead_facets(p_workspace text, p_seniority text, p_company_size text, p_least int, p_most int, p_email text) returns text[] language sql immutable parallel safe
  as $$ select array['w:' || coalesce(p_workspace, ''), 's:' || p_seniority, 'z:' || p_company_size, case when p_email is null then 'm:no' else 'm:yes' end] || app.size_bands(p_least, p_most) $$;

create index lead_criteria on outrider.lead using gin (search, title gin_trgm_ops, industry gin_trgm_ops, (location || ' ' || country) gin_trgm_ops,
  (headline || ' ' || title || ' ' || company) gin_trgm_ops, app.lead_facets(workspace_id, seniority, company_size, size_least, size_most, email))
  with (gin_pending_list_limit = 512) where erased_at is null;
drop index outrider.lead_search, outrider.lead_title, outrider.lead_industry, outrider.lead_place, outrider.lead_words, outrider.lead_size;

-- A pattern for the index: of long words only the ends, since each three letters are a list of leads to read. It finds
-- all that p_pattern finds, and seldom more.
create function app.short_pattern(p_pattern text) returns text language sql immutable
  as $$ select regexp_replace(p_pattern, '([[:alpha:]]{3})[[:alpha:]]+([[:alpha:]]{3})', '\1%\2', 'g') $$;

-- The criterion p_name of p as a condition of the index: for a list one per entry, of which one must hold.
create function app.lead_indexed(p_name text, p jsonb) returns text[] language plpgsql immutable
  as $$
  declare
    facets constant text := 'app.lead_facets(l.workspace_id, l.seniority, l.company_size, l.size_least, l.size_most, l.email)';
    expression text := case p_name when 'titles' then 'l.title' when 'industries' then 'l.industry' when 'locations' then '(l.location || '' '' || l.country)'
      when 'keywords' then '(l.headline || '' '' || l.title || '' '' || l.company)' end;
  begin
    case p_name
      when 'words' then return array[format('l.search @@ to_tsquery(''simple'', %L)', p ->> 'words')];
      when 'hasEmail' then return array[format('%s @> %L::text[]', facets, array[case when (p ->> 'hasEmail')::boolean then 'm:yes' else 'm:no' end])];
      when 'company' then return array[format('l.company_id = %L::uuid', p ->> 'companyId')];
      when 'tenant' then return array[format('%s && %L::text[]', facets, app.texts(p -> 'tenant'))];
      when 'seniorities' then return array[format('%s && %L::text[]', facets, array(select 's:' || t from unnest(app.texts(p -> 'seniorities')) t))];
      when 'sizes' then return array[format('%s && %L::text[]', facets, array(select 'z:' || t from unnest(app.texts(p -> 'sizes')) t
        union select unnest(app.size_bands((r ->> 0)::int, (r ->> 1)::int)) from jsonb_array_elements(p -> 'ranges') r))];
      else return array(select format('%s ilike %L', expression, app.short_pattern(t)) from unnest(app.texts(p -> p_name)) t);
    end case;
  end $$;

-- Leads in the order of the search, newest first, from before p_before on, p_limit at most: rows of lead. Pool and own
-- leads come from their index as they are; of a list, a score or a tag each lead is looked up.
create function app.lead_rows(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language plpgsql immutable set search_path = outrider, app, pg_catalog
  as $$
  declare
    part text := format('select l.* from lead l where %%s and l.erased_at is null and l.id < %L::uuid order by l.id desc limit %s', coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_limit);
    shared text := format(part, 'l.workspace_id is null');
    own text := format(part, format('l.workspace_id = %L and l.workspace_id is not null', p_workspace));
  begin
    if p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then
      return format('select l.* from (%s) w cross join lateral (select * from lead x where x.id = w.id offset 0) l', app.lead_walk(p_workspace, p, p_before, p_limit));
    end if;
    return case p ->> 'visibility' when 'shared' then shared when 'private' then own
      else format('select * from ((%s) union all (%s)) u order by id desc limit %s', shared, own, p_limit) end;
  end $$;

-- Statement of the first step: walk a bounded number of leads in order and judge them. Columns: found, walked, last.
create or replace function app.lead_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language sql immutable
  as $$
    select format('select coalesce((array_agg(%s l.id order by l.id desc) filter (where %s and %s and %s))[1:%s], ''{}''), count(*)::int, (array_agg(l.id order by l.id desc))[count(*)] from (%s) l',
      case when p ? 'minScore' then 'distinct' else '' end, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p), p_limit,
      app.lead_rows(p_workspace, p, p_before, p_walk))
  $$;

-- How many of p_sample leads, the next of the walk, meet each criterion of p, each of its words, and all together:
-- {"sample", "all", "criteria": {name: count}, "words": {word: count}}.
create function app.lead_sample(p_workspace text, p jsonb, p_before uuid, p_sample int) returns jsonb
  language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    names text[] := array(select k from unnest(array['titles', 'industries', 'keywords', 'locations', 'seniorities', 'sizes', 'words', 'hasEmail']) k where p ? k);
    words text[] := coalesce(string_to_array(p ->> 'words', ' & '), '{}');
    alone jsonb[] := array(select jsonb_build_object(n, p -> n) || case n when 'sizes' then jsonb_build_object('ranges', p -> 'ranges') else '{}' end from unnest(names) n)
      || array(select jsonb_build_object('words', w) from unnest(words) w);
    counts int[];
  begin
    execute format('select array[count(*) filter (where %s and %s)%s]::int[] from (%s) l', app.lead_criteria(p), app.lead_belonging(p_workspace, p),
      (select coalesce(string_agg(format(', count(*) filter (where %s)', app.lead_criteria(a)), '' order by place), '') from unnest(alone) with ordinality u (a, place)), app.lead_rows(p_workspace, p, p_before, p_sample)) into counts;
    return jsonb_build_object('sample', p_sample, 'all', counts[1],
      'criteria', (select coalesce(jsonb_object_agg(n, counts[1 + place]), '{}') from unnest(names) with ordinality u (n, place)),
      'words', (select coalesce(jsonb_object_agg(w, counts[1 + cardinality(names) + place]), '{}') from unnest(words) with ordinality u (w, place)));
  end $$;

-- The share of leads that will meet all criteria of a sample: what was seen, or, where none was, as if one had nothing to
-- do with the other.
create function app.sampled_share(p_sample jsonb) returns float8 language sql immutable
  as $$ select greatest((p_sample ->> 'all')::float8 / (p_sample ->> 'sample')::int,
    (select exp(sum(ln(greatest(value::float8, 0.5) / (p_sample ->> 'sample')::int))) from jsonb_each_text(p_sample -> 'criteria'))) $$;

-- What the index is asked, rarest first. What more than half of the sample meets is left out: the index would be read for
-- nothing. A word is the beginning of others, all of which are read, so that common ones are left out earlier.
create function app.rare_criteria(p_sample jsonb) returns text[] language sql immutable
  as $$
    with ranked as (select key as name, value::int as met, row_number() over (order by value::int, key) as place from jsonb_each_text(p_sample -> 'criteria'))
    select coalesce(array_agg(name order by place), '{}') from ranked
    where place = 1 or met < (p_sample ->> 'sample')::int / case name when 'words' then 10 else 2 end
  $$;
create function app.rare_words(p_sample jsonb) returns text language sql immutable
  as $$
    with ranked as (select key as word, value::int as met, row_number() over (order by value::int, length(key) desc, key) as place from jsonb_each_text(p_sample -> 'words'))
    select string_agg(word, ' & ' order by place) from ranked where place = 1 or met < (p_sample ->> 'sample')::int / 10
  $$;

-- Whether the pool is less than half of all leads, so that asking for it spares more than it costs. By the planner's counts.
create function app.pool_is_small() returns boolean language sql stable set search_path = outrider, app, pg_catalog
  as $$ select coalesce((select p.reltuples > 0 and p.reltuples < l.reltuples / 2 from pg_class p, pg_class l
    where p.oid = 'outrider.lead_shared'::regclass and l.oid = 'outrider.lead'::regclass), false) $$;

-- Statement of the second step, when the walk found too few: matches are rare, so all of them are gathered by index and
-- sorted; one arm per combination of entries of lists. p_sample tells what the index is asked (app.lead_sample). The
-- criteria themselves are judged apart ("is true"), so that they bring no other index into play.
drop function app.lead_gather_sql(text, jsonb, uuid, int);
create function app.lead_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb) returns text language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    most_arms constant int := 8;
    arms text[] := array['l.erased_at is null'];
    more text[];
    asked text[] := case when p ? 'companyId' then array['company'] else app.rare_criteria(p_sample) end;
    tenant text[] := case p ->> 'visibility' when 'private' then array['w:' || p_workspace] when 'shared' then array['w:'] else array['w:', 'w:' || p_workspace] end;
    name text;
  begin
    if not p ? 'companyId' and (p ->> 'visibility' = 'private' or app.pool_is_small()) then asked := asked || 'tenant'::text; end if;
    foreach name in array asked loop
      more := app.lead_indexed(name, p || jsonb_build_object('tenant', to_jsonb(tenant), 'words', app.rare_words(p_sample)));
      continue when cardinality(arms) * cardinality(more) > most_arms and name <> asked[1];
      arms := array(select a || ' and ' || m from unnest(arms) a, unnest(more) m);
    end loop;
    arms := array(select format('select l.id from lead l where l.id < %L::uuid and %s and (%s and %s) is true and %s%s', p_before, a,
        app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p),
        case when p ? 'tags' then format(' and l.id in (select o.lead_id from lead_overlay o where o.tags <> ''{}'' and app.tag_keys(o.workspace_id, o.tags) @> %L::text[])',
          app.tag_keys(p_workspace, app.texts(p -> 'tags'))) else '' end) from unnest(arms) a);
    return format('select id from (%s offset 0) g order by id desc limit %s', array_to_string(arms, ' union '), p_limit);
  end $$;

-- The last step of a search: what the walks before p_before did not find. p_sample: null when none was taken.
create function app.gather_leads(p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb) returns uuid[]
  language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    statement text;
    found_ids uuid[];
    listed int;
  begin
    if p ? 'leadListId' then
      select t.lead_count into listed from lead_list t where t.id = (p ->> 'leadListId')::uuid;
    end if;
    if listed <= 20000 then
      -- A list of this size costs less to look through than the pool.
      execute app.lead_walk_sql(p_workspace, p, p_before, p_limit, listed) into found_ids;
      return found_ids;
    elsif p ? 'minScore' and (select count(*) from (select 1 from lead_score s where s.campaign_id = p ->> 'campaignId' and s.workspace_id = p_workspace
        and s.total >= (p ->> 'minScore')::real limit 5001) x) <= 5000 then
      statement := app.lead_scored_gather_sql(p_workspace, p, p_before, p_limit);
    else
      statement := app.lead_gather_sql(p_workspace, p, p_before, p_limit, coalesce(p_sample, app.lead_sample(p_workspace, p, p_before, 500)));
    end if;
    execute format('select array(%s)', statement) into found_ids;
    return found_ids;
  end $$;

-- A page of a search: ids newest first, before p_before (null: from the newest). Without sorts, so that no walk becomes one.
create or replace function app.find_leads(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
  language plpgsql stable security definer set search_path = outrider, app, public, pg_catalog
  set random_page_cost = 1.1 set jit = off set enable_seqscan = off set enable_sort = off set max_parallel_workers_per_gather = 0
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    start uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    behind uuid := start;
    last_id uuid;
    most int;
    total int := 0;
    wanted int;
    sample jsonb;
    criteria int := (select count(*) from unnest(array['words', 'titles', 'industries', 'keywords', 'locations', 'seniorities', 'sizes', 'hasEmail']) k where p ? k);
    belongs boolean := p ?| array['companyId', 'leadListId', 'tags', 'minScore'];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Most pages are full after a few hundred leads. Of criteria that seem to meet rarely a longer walk is spared. Where the walk found some, going on a little costs less than
    -- gathering every match there is; a walk that came short goes on once more.
    for turn in 1..4 loop
      most := case turn when 1 then 300 when 2 then case when belongs then 2000 else 4000 end
        else total * (p_limit - cardinality(found_ids)) * 2 / greatest(1, cardinality(found_ids)) end;
      exit when most > 25000;
      execute app.lead_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
      total := total + walked;
      if turn = 1 and found_ids = '{}' and not belongs and criteria > 1 then
        sample := app.lead_sample(p_workspace, p, behind, 500);
        exit when app.sampled_share(sample) * 4000 < p_limit / 4;
        sample := null;
      end if;
    end loop;
    wanted := p_limit - cardinality(found_ids);
    if not belongs and p ->> 'visibility' = 'all' and (select count(*) from (select 1 from lead l where l.workspace_id = p_workspace and l.workspace_id is not null
        and l.erased_at is null and l.id >= behind and l.id < start limit total / 2) seen) >= total / 2 then
      more_ids := app.find_leads(p_workspace, p || '{"visibility": "private"}', behind, wanted);
      if cardinality(more_ids) < wanted or exists (select 1 from lead l where l.workspace_id is null and l.erased_at is null and l.id < behind and l.id > more_ids[wanted]) then
        more_ids := more_ids || app.find_leads(p_workspace, p || '{"visibility": "shared"}', behind, wanted);
      end if;
      return found_ids || array(select id from unnest(more_ids) id order by id desc limit wanted);
    end if;
    return found_ids || app.gather_leads(p_workspace, p, behind, wanted, sample);
  end $$;

revoke execute on function app.size_bands(int, int), app.lead_facets(text, text, text, int, int, text), app.short_pattern(text), app.lead_indexed(text, jsonb),
  app.lead_rows(text, jsonb, uuid, int), app.lead_sample(text, jsonb, uuid, int), app.sampled_share(jsonb), app.rare_criteria(jsonb), app.rare_words(jsonb), app.pool_is_small(),
  app.lead_gather_sql(text, jsonb, uuid, int, jsonb), app.gather_leads(text, jsonb, uuid, int, jsonb) from public;
grant execute on function app.size_bands(int, int), app.lead_facets(text, text, text, int, int, text) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.short_pattern(text), app.lead_indexed(text, jsonb), app.lead_rows(text, jsonb, uuid, int), app.lead_sample(text, jsonb, uuid, int), app.sampled_share(jsonb), app.rare_criteria(jsonb),
  app.rare_words(jsonb), app.pool_is_small(), app.lead_gather_sql(text, jsonb, uuid, int, jsonb), app.gather_leads(text, jsonb, uuid, int, jsonb) to outrider_definer;
