-- Returns the conditions of a search for companies c of the pool and of the workspace's own, as SQL with quoted
-- literals. Source: catalog svc_search_companies.
-- p, made by companyFilter: {words (a tsquery), industries, keywords, locations (LIKE patterns), sizes, ranges
-- [[least, most]], minGrowth (percent), fundedSince (epoch ms)}; each may be missing, and of a list one entry must
-- hold.
create or replace function app.company_criteria(p_workspace text, p jsonb) returns text
  language plpgsql immutable
  as $$
  declare
    parts text[] := array[format('(c.workspace_id is null or c.workspace_id = %L)', p_workspace)];
    sizes text;
  begin
    if p ? 'words' then
      parts := parts || format('c.search @@ to_tsquery(''simple'', %L)', p ->> 'words');
    end if;
    if p ? 'industries' then
      parts := parts || format('app.sought(c.industry) ilike any (%L::text[])', app.texts(p -> 'industries'));
    end if;
    if p ? 'keywords' then
      parts := parts || format(
        'app.sought(c.name || '' '' || c.industry) ilike any (%L::text[])',
        app.texts(p -> 'keywords')
      );
    end if;
    if p ? 'locations' then
      parts := parts || format('app.sought(c.location) ilike any (%L::text[])', app.texts(p -> 'locations'));
    end if;
    if p ? 'sizes' then
      select string_agg(
        format(' or (c.size_least <= %s and c.size_most >= %s)', (r ->> 1)::int, (r ->> 0)::int),
        ''
      )
      into sizes
      from jsonb_array_elements(p -> 'ranges') r;
      parts := parts || format(
        '(c.company_size = any (%L::text[])%s)',
        app.texts(p -> 'sizes'),
        coalesce(sizes, '')
      );
    end if;
    if p ? 'minGrowth' then
      parts := parts || format('c.headcount_growth_pct >= %L::float8', p ->> 'minGrowth');
    end if;
    if p ? 'fundedSince' then
      parts := parts || format('c.last_funding_at >= %L::bigint', p ->> 'fundedSince');
    end if;
    return array_to_string(parts, ' and ');
  end $$;

revoke execute on function app.company_criteria(text, jsonb) from public;
grant execute on function app.company_criteria(text, jsonb) to outrider_definer;
