-- Returns the statement that finds all matches below p_before by index and sorts them, p_limit at most, for a search
-- whose matches are rare. A list of patterns becomes an arm each, eight arms at most unless the rarest criterion
-- alone has more. The inner select has no order, so that no plan walks on.
-- p_sample: counts of app.lead_sample; the index is asked for the rarest criteria, each lead that it finds for the
-- rest. p_window: periods of app.lead_window to which the search is bound, null: all.
create or replace function app.lead_gather_sql(
  p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb, p_window text[]
)
  returns text
  language plpgsql stable
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    most_arms constant int := 8;
    arms text[] := array[
      'l.erased_at is null' || case
        when p_window is null then ''
        else format(' and app.lead_times(l.id) && %L::text[]', p_window)
      end
    ];
    more text[];
    common float8 := case when p_window is null then 0.1 else 0.025 end;
    asked text[] := case when p ? 'companyId' then array['company'] else app.rare_criteria(p_sample, common) end;
    tenant text[] := case p ->> 'visibility'
      when 'private' then array['w:' || p_workspace]
      when 'shared' then array['w:']
      else array['w:', 'w:' || p_workspace]
    end;
    name text;
  begin
    if not p ? 'companyId' and (p ->> 'visibility' = 'private' or app.pool_is_small()) then
      asked := asked || 'tenant'::text;
    end if;
    foreach name in array asked loop
      more := app.lead_indexed(
        name,
        p || jsonb_build_object('tenant', to_jsonb(tenant), 'words', app.rare_words(p_sample, common))
      );
      continue when cardinality(arms) * cardinality(more) > most_arms and name <> asked[1];
      arms := array(select a || ' and ' || m from unnest(arms) a, unnest(more) m);
    end loop;
    arms := array(
      select format(
        'select l.id from lead l where l.id < %L::uuid and %s and (%s and %s) is true and %s%s',
        p_before,
        a,
        app.lead_criteria(p),
        app.lead_tenant(p_workspace, p),
        app.lead_belonging(p_workspace, p),
        case
          when p ? 'tags'
            then format(
              $tags$
                and l.id in (
                  select o.lead_id
                  from lead_overlay o
                  where o.tags <> '{}' and app.tag_keys(o.workspace_id, o.tags) @> %L::text[]
                )
              $tags$,
              app.tag_keys(p_workspace, app.texts(p -> 'tags'))
            )
          else ''
        end
      )
      from unnest(arms) a
    );
    return format(
      'select id from (%s offset 0) g order by id desc limit %s',
      array_to_string(arms, ' union '),
      p_limit
    );
  end $$;

revoke execute on function app.lead_gather_sql(text, jsonb, uuid, int, jsonb, text[]) from public;
grant execute on function app.lead_gather_sql(text, jsonb, uuid, int, jsonb, text[]) to outrider_definer;
