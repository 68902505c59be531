-- Returns a statement that gives ids in the order of app.lead_walk, p_limit rows at most, with `held`: whether a row
-- may have the tag or the score that the walk is for (app.lead_belonging decides). Only those are looked up then.
create or replace function app.lead_held(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text
  language sql immutable
  set search_path = outrider, app, pg_catalog
  as $$
    select case
      when p ? 'companyId' or p ? 'leadListId' or not p ?| array['tags', 'minScore']
        then format('select w.id, true as held from (%s) w', app.lead_walk(p_workspace, p, p_before, p_limit))
      when p ? 'tags' then format(
        $tags$
          select o.lead_id as id, o.tags @> %L::text[] as held
          from lead_overlay o
          where o.workspace_id = %L and o.lead_id < %L::uuid
          order by o.lead_id desc limit %s
        $tags$,
        app.texts(p -> 'tags'),
        p_workspace,
        coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
        p_limit
      )
      -- A lead has a score of each ICP: of the last one the walk may not see all, so that its scores are looked up.
      else format(
        $score$
          select s.lead_id as id, s.total >= %L::real or row_number() over (order by s.lead_id desc) = %s as held
          from lead_score s
          where s.campaign_id = %L and s.lead_id < %L::uuid
          order by s.lead_id desc limit %s
        $score$,
        p ->> 'minScore',
        p_limit,
        p ->> 'campaignId',
        coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
        p_limit
      )
    end
  $$;

revoke execute on function app.lead_held(text, jsonb, uuid, int) from public;
grant execute on function app.lead_held(text, jsonb, uuid, int) to outrider_definer;
