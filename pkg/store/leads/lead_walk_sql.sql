-- Returns the statement of the first step of app.find_leads, which looks at the next p_walk rows of app.lead_walk
-- below p_before and gives the ids that meet search p, newest first, p_limit at most.
create or replace function app.lead_walk_sql(p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int)
  returns text
  language plpgsql immutable
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    judged text := format(
      '%s and %s and %s',
      app.lead_criteria(p),
      app.lead_tenant(p_workspace, p),
      app.lead_belonging(p_workspace, p)
    );
  begin
    if p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then
      return format(
        $walk$
          select %s w.id
          from (%s) w
          cross join lateral (select * from lead x where x.id = w.id offset 0) l
          where w.held and %s
          order by w.id desc limit %s
        $walk$,
        case when p ? 'minScore' then 'distinct' else '' end,
        app.lead_held(p_workspace, p, p_before, p_walk),
        judged,
        p_limit
      );
    end if;
    return format(
      'select l.id from (%s) l where %s order by l.id desc limit %s',
      app.lead_rows(p_workspace, p, p_before, p_walk),
      judged,
      p_limit
    );
  end $$;

revoke execute on function app.lead_walk_sql(text, jsonb, uuid, int, int) from public;
grant execute on function app.lead_walk_sql(text, jsonb, uuid, int, int) to outrider_definer;
