-- Returns the statement that looks at each lead with the tags (p_kind 'tags') or the score ('minScore') of search p:
-- ids below p_before, newest first, p_limit at most. app.gather_leads uses it where app.few_belong says that they are
-- few.
create or replace function app.lead_few_sql(p_kind text, p_workspace text, p jsonb, p_before uuid, p_limit int)
  returns text
  language sql immutable
  set search_path = outrider, app, pg_catalog
  as $$
    select format(
      $few$
        with few as materialized (%s)
        select f.id
        from (select id from few order by id desc) f
        cross join lateral (select * from lead y where y.id = f.id offset 0) l
        where %s and %s and %s
        order by f.id desc limit %s
      $few$,
      case p_kind
        when 'tags' then format(
          $tags$
            select o.lead_id as id
            from lead_overlay o
            where o.tags <> '{}'
              and app.tag_keys(o.workspace_id, o.tags) @> %L::text[]
              and o.lead_id < %L::uuid
          $tags$,
          app.tag_keys(p_workspace, app.texts(p -> 'tags')),
          p_before
        )
        else format(
          $score$
            select distinct x.lead_id as id
            from lead_score x
            where x.campaign_id = %L
              and x.workspace_id = %L
              and x.total >= %L::real
              and x.lead_id < %L::uuid
          $score$,
          p ->> 'campaignId',
          p_workspace,
          p ->> 'minScore',
          p_before
        )
      end,
      app.lead_criteria(p),
      app.lead_tenant(p_workspace, p),
      app.lead_belonging(p_workspace, p),
      p_limit
    )
  $$;

revoke execute on function app.lead_few_sql(text, text, jsonb, uuid, int) from public;
grant execute on function app.lead_few_sql(text, text, jsonb, uuid, int) to outrider_definer;
