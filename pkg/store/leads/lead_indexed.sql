-- Returns the criterion p_name of search p as conditions that the index lead_criteria answers: of a list of patterns
-- one condition per entry, of which one must hold, else one condition. They may find more than the criterion, never
-- less. Besides the names of app.lead_criteria it knows 'company' and 'tenant' (p.tenant: entries of
-- app.lead_facets).
create or replace function app.lead_indexed(p_name text, p jsonb) returns text[]
  language plpgsql immutable
  as $$
  declare
    facets constant text :=
      'app.lead_facets(l.workspace_id, l.seniority, l.company_size, l.size_least, l.size_most, l.email)';
    expression text := case p_name
      when 'titles' then 'app.sought(l.title)'
      when 'industries' then 'app.sought(l.industry)'
      when 'locations' then 'app.sought(l.location || '' '' || l.country)'
      when 'keywords' then 'app.sought(l.headline || '' '' || l.title || '' '' || l.company)'
    end;
  begin
    case p_name
      when 'words' then return array[format('l.search @@ to_tsquery(''simple'', %L)', p ->> 'words')];
      when 'hasEmail' then
        return array[
          format(
            '%s @> %L::text[]',
            facets,
            array[case when (p ->> 'hasEmail')::boolean then 'm:yes' else 'm:no' end]
          )
        ];
      when 'company' then return array[format('l.company_id = %L::uuid', p ->> 'companyId')];
      when 'tenant' then return array[format('%s && %L::text[]', facets, app.texts(p -> 'tenant'))];
      when 'seniorities' then
        return array[
          format(
            '%s && %L::text[]',
            facets,
            array(select 's:' || t from unnest(app.texts(p -> 'seniorities')) t)
          )
        ];
      when 'sizes' then
        return array[
          format(
            '%s && %L::text[]',
            facets,
            array(
              select 'z:' || t
              from unnest(app.texts(p -> 'sizes')) t
              union
              select unnest(app.size_bands((r ->> 0)::int, (r ->> 1)::int))
              from jsonb_array_elements(p -> 'ranges') r
            )
          )
        ];
      else
        return array(
          select format('%s ilike %L', expression, app.short_pattern(t))
          from unnest(app.texts(p -> p_name)) t
        );
    end case;
  end $$;

revoke execute on function app.lead_indexed(text, jsonb) from public;
grant execute on function app.lead_indexed(text, jsonb) to outrider_definer;
