-- Returns what search p asks of the workspace's own data on lead l (list, tags, score), as SQL with quoted literals;
-- 'true' where it asks nothing.
create or replace function app.lead_belonging(p_workspace text, p jsonb) returns text
  language plpgsql immutable
  as $$
  declare parts text[] := array['true'];
  begin
    if p ? 'leadListId' then
      parts := parts || format(
        $list$
          exists (
            select 1
            from lead_list_member m
            where m.lead_list_id = %L::uuid and m.workspace_id = %L and m.lead_id = l.id
          )
        $list$,
        p ->> 'leadListId',
        p_workspace
      );
    end if;
    if p ? 'tags' then
      parts := parts || format(
        $tags$
          exists (
            select 1
            from lead_overlay o
            where o.workspace_id = %L and o.lead_id = l.id and o.tags @> %L::text[]
          )
        $tags$,
        p_workspace,
        app.texts(p -> 'tags')
      );
    end if;
    if p ? 'minScore' then
      parts := parts || format(
        $score$
          exists (
            select 1
            from lead_score s
            where s.campaign_id = %L and s.workspace_id = %L and s.lead_id = l.id and s.total >= %L::real
          )
        $score$,
        p ->> 'campaignId',
        p_workspace,
        p ->> 'minScore'
      );
    end if;
    return array_to_string(parts, ' and ');
  end $$;

revoke execute on function app.lead_belonging(text, jsonb) from public;
grant execute on function app.lead_belonging(text, jsonb) to outrider_definer;
