-- Returns the conditions of a search on lead l, as SQL with quoted literals. Source: catalog svc_search_leads.
-- p: {words (a tsquery of beginnings: `anna:* & kern:*`), titles, industries, keywords, locations (LIKE patterns),
-- seniorities, sizes, ranges [[least, most]], hasEmail, companyId}; each may be missing, and of a list one entry must
-- hold. Besides p has visibility ('all', 'shared', 'private': app.lead_tenant) and leadListId, tags, minScore with
-- campaignId (app.lead_belonging).
create or replace function app.lead_criteria(p jsonb) returns text
  language plpgsql immutable
  as $$
  declare
    parts text[] := array['l.erased_at is null'];
    sizes text;
  begin
    if p ? 'words' then
      parts := parts || format('l.search @@ to_tsquery(''simple'', %L)', p ->> 'words');
    end if;
    if p ? 'titles' then
      parts := parts || format('app.sought(l.title) ilike any (%L::text[])', app.texts(p -> 'titles'));
    end if;
    if p ? 'industries' then
      parts := parts || format('app.sought(l.industry) ilike any (%L::text[])', app.texts(p -> 'industries'));
    end if;
    if p ? 'keywords' then
      parts := parts || format(
        'app.sought(l.headline || '' '' || l.title || '' '' || l.company) ilike any (%L::text[])',
        app.texts(p -> 'keywords')
      );
    end if;
    if p ? 'locations' then
      parts := parts || format(
        'app.sought(l.location || '' '' || l.country) ilike any (%L::text[])',
        app.texts(p -> 'locations')
      );
    end if;
    if p ? 'seniorities' then
      parts := parts || format('l.seniority = any (%L::text[])', app.texts(p -> 'seniorities'));
    end if;
    if p ? 'sizes' then
      select string_agg(
        format(' or (l.size_least <= %s and l.size_most >= %s)', (r ->> 1)::int, (r ->> 0)::int),
        ''
      )
      into sizes
      from jsonb_array_elements(p -> 'ranges') r;
      parts := parts || format(
        '(l.company_size = any (%L::text[])%s)',
        app.texts(p -> 'sizes'),
        coalesce(sizes, '')
      );
    end if;
    if p ? 'hasEmail' then
      parts := parts || case
        when (p ->> 'hasEmail')::boolean then 'l.email is not null'
        else 'l.email is null'
      end;
    end if;
    if p ? 'companyId' then parts := parts || format('l.company_id = %L::uuid', p ->> 'companyId'); end if;
    return array_to_string(parts, ' and ');
  end $$;

revoke execute on function app.lead_criteria(jsonb) from public;
grant execute on function app.lead_criteria(jsonb) to outrider_definer;
