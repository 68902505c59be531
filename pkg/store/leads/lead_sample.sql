-- Returns what the next p_sample leads below p_before say of search p: {"sample": p_sample, "last": id of the last
-- one, "all": how many meet everything, "criteria": {name: how many meet it}, "words": {word: how many have it}}.
create or replace function app.lead_sample(p_workspace text, p jsonb, p_before uuid, p_sample int) returns jsonb
  language plpgsql stable
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    names text[] := array(
      select k
      from unnest(
        array['titles', 'industries', 'keywords', 'locations', 'seniorities', 'sizes', 'words', 'hasEmail']
      ) k
      where p ? k
    );
    words text[] := coalesce(string_to_array(p ->> 'words', ' & '), '{}');
    alone jsonb[] := array(
      select jsonb_build_object(n, p -> n) || case n
        when 'sizes' then jsonb_build_object('ranges', p -> 'ranges')
        else '{}'
      end
      from unnest(names) n
    ) || array(select jsonb_build_object('words', w) from unnest(words) w);
    counts int[];
    last_id uuid;
  begin
    execute format(
      $sample$
        select array[count(*) filter (where %s and %s)%s]::int[], (array_agg(l.id order by l.id desc))[count(*)]
        from (%s) l
      $sample$,
      app.lead_criteria(p),
      app.lead_belonging(p_workspace, p),
      (
        select coalesce(
          string_agg(format(', count(*) filter (where %s)', app.lead_criteria(a)), '' order by place),
          ''
        )
        from unnest(alone) with ordinality u (a, place)
      ),
      app.lead_rows(p_workspace, p, p_before, p_sample)
    ) into counts, last_id;
    return jsonb_build_object(
      'sample', p_sample,
      'last', last_id,
      'all', counts[1],
      'criteria', (
        select coalesce(jsonb_object_agg(n, counts[1 + place]), '{}')
        from unnest(names) with ordinality u (n, place)
      ),
      'words', (
        select coalesce(jsonb_object_agg(w, counts[1 + cardinality(names) + place]), '{}')
        from unnest(words) with ordinality u (w, place)
      )
    );
  end $$;

revoke execute on function app.lead_sample(text, jsonb, uuid, int) from public;
grant execute on function app.lead_sample(text, jsonb, uuid, int) to outrider_definer;
