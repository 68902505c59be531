-- Pages of leads in less time where many match a little. A gather reads only a window of the newest leads that should hold
-- a page: their index knows when a lead was made, so that it skips through the lists of all other filters to that window.
-- A walk ends with the page that it fills, and looks up only what has the tag or the score.
set local search_path = outrider, app, public;

-- Times of an id (UUIDv7), in periods of 65 s, 17 min, 4.7 h, 3 and 50 days. A period is the beginning of the ids in it.
create function app.lead_times(p_id uuid) returns text[] language sql immutable parallel safe
  as $$ select array['t:' || left(p_id::text, 8), 't:' || left(p_id::text, 7), 't:' || left(p_id::text, 6), 't:' || left(p_id::text, 5), 't:' || left(p_id::text, 4)] $$;

-- The times come first: the index is asked in this order, and skips as soon as two of its columns differ.
drop index outrider.lead_criteria;
create index lead_criteria on outrider.lead using gin (app.lead_times(id), search, title gin_trgm_ops, industry gin_trgm_ops, (location || ' ' || country) gin_trgm_ops,
  (headline || ' ' || title || ' ' || company) gin_trgm_ops, app.lead_facets(workspace_id, seniority, company_size, size_least, size_most, email))
  with (gin_pending_list_limit = 512) where erased_at is null;

-- Milliseconds of an id.
create function app.id_time(p_id uuid) returns bigint language sql immutable
  as $$ select ('x' || translate(left(p_id::text, 13), '-', ''))::bit(48)::bigint $$;

-- The periods from p_span milliseconds before p_before up to it, at most 16 of one length, newest last; null when that is
-- longer than 16 periods of the longest.
create function app.lead_window(p_before uuid, p_span float8) returns text[] language sql immutable
  as $$
    with span as (select app.id_time(p_before) as until, greatest(0, app.id_time(p_before) - least(p_span, 281474976710655)::bigint) as since),
    length as (select until >> 16 + 4 * n as last, since >> 16 + 4 * n as first, 8 - n as digits from span, generate_series(0, 4) n
      where (until >> 16 + 4 * n) - (since >> 16 + 4 * n) < 16 order by n limit 1)
    select array_agg('t:' || lpad(to_hex(period), digits, '0') order by period) from length, generate_series(first, last) period
  $$;

-- The first id of a window.
create function app.window_start(p_window text[]) returns uuid language sql immutable
  as $$ select rpad(substr(p_window[1], 3), 32, '0')::uuid $$;

-- Ids in the order of the walk, at most p_limit, and whether each has the tag or the score that the walk is for.
create function app.lead_held(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language sql immutable set search_path = outrider, app, pg_catalog
  as $$
    select case when p ? 'companyId' or p ? 'leadListId' or not p ?| array['tags', 'minScore'] then format('select w.id, true as held from (%s) w', app.lead_walk(p_workspace, p, p_before, p_limit))
      when p ? 'tags' then format('select o.lead_id as id, o.tags @> %L::text[] as held from lead_overlay o where o.workspace_id = %L and o.lead_id < %L::uuid order by o.lead_id desc limit %s',
        app.texts(p -> 'tags'), p_workspace, coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_limit)
      else format('select s.lead_id as id, s.total >= %L::real as held from lead_score s where s.campaign_id = %L and s.lead_id < %L::uuid order by s.lead_id desc limit %s',
        p ->> 'minScore', p ->> 'campaignId', coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_limit) end
  $$;

-- Statement of the first step: the newest p_limit that meet all criteria, of p_walk leads in the order of the search.
drop function app.lead_walk_sql(text, jsonb, uuid, int, int);
create function app.lead_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int) returns text language plpgsql immutable set search_path = outrider, app, pg_catalog
  as $$
  declare judged text := format('%s and %s and %s', app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p));
  begin
    if p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then
      return format('select %s w.id from (%s) w cross join lateral (select * from lead x where x.id = w.id offset 0) l where w.held and %s order by w.id desc limit %s',
        case when p ? 'minScore' then 'distinct' else '' end, app.lead_held(p_workspace, p, p_before, p_walk), judged, p_limit);
    end if;
    return format('select l.id from (%s) l where %s order by l.id desc limit %s', app.lead_rows(p_workspace, p, p_before, p_walk), judged, p_limit);
  end $$;

-- How many of p_sample leads, the next of the walk, meet each criterion of p, each of its words, and all together, and the
-- last of them: {"sample", "last", "all", "criteria": {name: count}, "words": {word: count}}.
create or replace function app.lead_sample(p_workspace text, p jsonb, p_before uuid, p_sample int) returns jsonb
  language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    names text[] := array(select k from unnest(array['titles', 'industries', 'keywords', 'locations', 'seniorities', 'sizes', 'words', 'hasEmail']) k where p ? k);
    words text[] := coalesce(string_to_array(p ->> 'words', ' & '), '{}');
    alone jsonb[] := array(select jsonb_build_object(n, p -> n) || case n when 'sizes' then jsonb_build_object('ranges', p -> 'ranges') else '{}' end from unnest(names) n)
      || array(select jsonb_build_object('words', w) from unnest(words) w);
    counts int[];
    last_id uuid;
  begin
    execute format('select array[count(*) filter (where %s and %s)%s]::int[], (array_agg(l.id order by l.id desc))[count(*)] from (%s) l', app.lead_criteria(p), app.lead_belonging(p_workspace, p),
      (select coalesce(string_agg(format(', count(*) filter (where %s)', app.lead_criteria(a)), '' order by place), '') from unnest(alone) with ordinality u (a, place)), app.lead_rows(p_workspace, p, p_before, p_sample)) into counts, last_id;
    return jsonb_build_object('sample', p_sample, 'last', last_id, 'all', counts[1],
      'criteria', (select coalesce(jsonb_object_agg(n, counts[1 + place]), '{}') from unnest(names) with ordinality u (n, place)),
      'words', (select coalesce(jsonb_object_agg(w, counts[1 + cardinality(names) + place]), '{}') from unnest(words) with ordinality u (w, place)));
  end $$;

-- What the index is asked, rarest first. What more than half of the sample meets is left out: the index would be read for
-- nothing. A word is the beginning of others, all of which are read however short the window, so that it is left out from a
-- share of p_common on.
drop function app.rare_criteria(jsonb), app.rare_words(jsonb);
create function app.rare_criteria(p_sample jsonb, p_common float8) returns text[] language sql immutable
  as $$
    with ranked as (select key as name, value::int as met, row_number() over (order by value::int, key) as place from jsonb_each_text(p_sample -> 'criteria'))
    select coalesce(array_agg(name order by place), '{}') from ranked
    where place = 1 or met < (p_sample ->> 'sample')::int * case name when 'words' then p_common else 0.5 end
  $$;
create function app.rare_words(p_sample jsonb, p_common float8) returns text language sql immutable
  as $$
    with ranked as (select key as word, value::int as met, row_number() over (order by value::int, length(key) desc, key) as place from jsonb_each_text(p_sample -> 'words'))
    select string_agg(word, ' & ' order by place) from ranked where place = 1 or met < (p_sample ->> 'sample')::int * p_common
  $$;

-- Statement of the second step: all that match before p_before, in p_window (null: however old), gathered by index and
-- sorted; one arm per combination of entries of lists. p_sample tells what the index is asked (app.lead_sample). The
-- criteria themselves are judged apart ("is true"), so that they bring no other index into play.
drop function app.lead_gather_sql(text, jsonb, uuid, int, jsonb);
create function app.lead_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb, p_window text[]) returns text language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    most_arms constant int := 8;
    arms text[] := array['l.erased_at is null' || case when p_window is null then '' else format(' and app.lead_times(l.id) && %L::text[]', p_window) end];
    more text[];
    common float8 := case when p_window is null then 0.1 else 0.025 end;
    asked text[] := case when p ? 'companyId' then array['company'] else app.rare_criteria(p_sample, common) end;
    tenant text[] := case p ->> 'visibility' when 'private' then array['w:' || p_workspace] when 'shared' then array['w:'] else array['w:', 'w:' || p_workspace] end;
    name text;
  begin
    if not p ? 'companyId' and (p ->> 'visibility' = 'private' or app.pool_is_small()) then asked := asked || 'tenant'::text; end if;
    foreach name in array asked loop
      more := app.lead_indexed(name, p || jsonb_build_object('tenant', to_jsonb(tenant), 'words', app.rare_words(p_sample, common)));
      continue when cardinality(arms) * cardinality(more) > most_arms and name <> asked[1];
      arms := array(select a || ' and ' || m from unnest(arms) a, unnest(more) m);
    end loop;
    arms := array(select format('select l.id from lead l where l.id < %L::uuid and %s and (%s and %s) is true and %s%s', p_before, a,
        app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p),
        case when p ? 'tags' then format(' and l.id in (select o.lead_id from lead_overlay o where o.tags <> ''{}'' and app.tag_keys(o.workspace_id, o.tags) @> %L::text[])',
          app.tag_keys(p_workspace, app.texts(p -> 'tags'))) else '' end) from unnest(arms) a);
    return format('select id from (%s offset 0) g order by id desc limit %s', array_to_string(arms, ' union '), p_limit);
  end $$;

-- Statement of the second step where few have the tags or the score (p_kind): these are looked up, newest first, until the
-- page is full.
drop function app.lead_scored_gather_sql(text, jsonb, uuid, int);
create function app.lead_few_sql(p_kind text, p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language sql immutable set search_path = outrider, app, pg_catalog
  as $$
    select format('with few as materialized (%s) select f.id from (select id from few order by id desc) f cross join lateral (select * from lead y where y.id = f.id offset 0) l where %s and %s and %s order by f.id desc limit %s',
      case p_kind when 'tags' then format('select o.lead_id as id from lead_overlay o where o.tags <> ''{}'' and app.tag_keys(o.workspace_id, o.tags) @> %L::text[] and o.lead_id < %L::uuid',
          app.tag_keys(p_workspace, app.texts(p -> 'tags')), p_before)
        else format('select distinct x.lead_id as id from lead_score x where x.campaign_id = %L and x.workspace_id = %L and x.total >= %L::real and x.lead_id < %L::uuid',
          p ->> 'campaignId', p_workspace, p ->> 'minScore', p_before) end,
      app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p), p_limit)
  $$;

-- Which of tags and score of a search at most 5,000 leads have; null: neither. Of tags at most 1 MB of the index is read.
create function app.few_belong(p_workspace text, p jsonb) returns text language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  begin
    if p ? 'tags' and (select count(*) from (select 1 from lead_overlay o where o.tags <> '{}' and app.tag_keys(o.workspace_id, o.tags) @> app.tag_keys(p_workspace, app.texts(p -> 'tags')) limit 5001) x) <= 5000 then
      return 'tags';
    elsif p ? 'minScore' and (select count(*) from (select 1 from lead_score s where s.campaign_id = p ->> 'campaignId' and s.total >= (p ->> 'minScore')::real limit 5001) x) <= 5000 then
      return 'minScore';
    end if;
    return null;
  end $$;

-- The last step of a search: what the walks before p_before did not find. p_sample: null when none was taken.
drop function app.gather_leads(text, jsonb, uuid, int, jsonb);
create function app.gather_leads(p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb) returns uuid[]
  language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    few text := app.few_belong(p_workspace, p);
    statement text;
    found_ids uuid[];
    listed int;
  begin
    if p ? 'leadListId' then
      select t.lead_count into listed from lead_list t where t.id = (p ->> 'leadListId')::uuid;
    end if;
    if listed <= 20000 then
      -- A list of this size costs less to look through than the pool.
      statement := app.lead_walk_sql(p_workspace, p, p_before, p_limit, listed);
    elsif few is not null then
      statement := app.lead_few_sql(few, p_workspace, p, p_before, p_limit);
    else
      statement := app.lead_gather_sql(p_workspace, p, p_before, p_limit, coalesce(p_sample, app.lead_sample(p_workspace, p, p_before, 500)), null);
    end if;
    execute format('select array(%s)', statement) into found_ids;
    return found_ids;
  end $$;

-- What matches among about p_leads leads before p_before, and the first id of the window: behind it nothing was looked
-- for. Null when the window has no periods. How fast leads were made is what p_sample saw.
create function app.gather_window(p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb, p_leads float8, out found_ids uuid[], out since uuid)
  language plpgsql stable set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    took float8 := greatest(1, app.id_time(p_before) - app.id_time((p_sample ->> 'last')::uuid)) / (p_sample ->> 'sample')::float8;
    times text[] := app.lead_window(p_before, p_leads * took);
  begin
    if times is null then return; end if;
    execute format('select array(%s)', app.lead_gather_sql(p_workspace, p, p_before, p_limit, p_sample, times)) into found_ids;
    since := app.window_start(times);
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
    most int := 300;
    total int := 0;
    wanted int;
    sample jsonb;
    share float8;
    reach float8;
    every float8;
    belongs boolean := p ?| array['companyId', 'leadListId', 'tags', 'minScore'];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Most pages are full after a few hundred leads. A sample of the next tells how far the others have to walk, until a
    -- longer walk has seen more.
    loop
      wanted := p_limit - cardinality(found_ids);
      execute format('select array(%s)', app.lead_walk_sql(p_workspace, p, behind, wanted, most)) into more_ids;
      found_ids := found_ids || more_ids;
      if cardinality(more_ids) >= wanted then return found_ids; end if;
      execute format('select count(*)::int, (array_agg(w.id order by w.id desc))[count(*)] from (%s) w', app.lead_walk(p_workspace, p, behind, most)) into walked, last_id;
      if walked < most then return found_ids; end if;
      behind := last_id;
      total := total + walked;
      wanted := p_limit - cardinality(found_ids);
      share := (cardinality(found_ids) + 0.5) / total;
      if total = 300 and not belongs then
        sample := app.lead_sample(p_workspace, p, behind, 500);
        share := app.sampled_share(sample);
      end if;
      most := case when belongs and total = 300 then 2000 else least(25000, 1.5 * wanted / share) end;
      exit when most > (case when belongs then 25000 else 2500 end) or total > 15000;
    end loop;
    -- A sample says little of what is rare: the first window, an eighth of all leads at most, says more. One gather of all
    -- costs less than windows of much of them.
    every := (select greatest(reltuples, 1) from pg_class where oid = 'outrider.lead'::regclass);
    for turn in 1..2 loop
      reach := 2 * wanted / share;
      exit when belongs or reach > every / (case turn when 1 then 4 else 3 end);
      reach := least(reach, every / (case turn when 1 then 8 else 1 end));
      select w.found_ids, w.since into more_ids, last_id from app.gather_window(p_workspace, p, behind, wanted, sample, reach) w;
      exit when last_id is null;
      found_ids := found_ids || more_ids;
      if cardinality(more_ids) >= wanted then return found_ids; end if;
      wanted := wanted - cardinality(more_ids);
      behind := last_id;
      share := (cardinality(more_ids) + 0.5) / reach;
    end loop;
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

revoke execute on function app.lead_times(uuid), app.id_time(uuid), app.lead_window(uuid, float8), app.window_start(text[]), app.lead_held(text, jsonb, uuid, int),
  app.rare_criteria(jsonb, float8), app.rare_words(jsonb, float8), app.lead_walk_sql(text, jsonb, uuid, int, int), app.lead_gather_sql(text, jsonb, uuid, int, jsonb, text[]), app.lead_few_sql(text, text, jsonb, uuid, int), app.few_belong(text, jsonb),
  app.gather_leads(text, jsonb, uuid, int, jsonb), app.gather_window(text, jsonb, uuid, int, jsonb, float8) from public;
grant execute on function app.lead_times(uuid) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.id_time(uuid), app.lead_window(uuid, float8), app.window_start(text[]), app.lead_held(text, jsonb, uuid, int),
  app.rare_criteria(jsonb, float8), app.rare_words(jsonb, float8), app.lead_walk_sql(text, jsonb, uuid, int, int), app.lead_gather_sql(text, jsonb, uuid, int, jsonb, text[]), app.lead_few_sql(text, text, jsonb, uuid, int), app.few_belong(text, jsonb),
  app.gather_leads(text, jsonb, uuid, int, jsonb), app.gather_window(text, jsonb, uuid, int, jsonb, float8) to outrider_definer;
