-- Returns leads that may have entered or left a query list since transaction p_since, at most p_most in no order: by
-- their own data, by tags or by score where p_filter asks for those. It compares scores only where the campaign's
-- pool was written since. For app.materialise_list.
create or replace function app.changed_for_list(
  p_list uuid, p_workspace text, p_filter jsonb, p_since xid8, p_most int
)
  returns uuid[]
  language sql stable
  set search_path = outrider, app, pg_catalog
  as $$
    select array(
      select c.id
      from (
        select l.id
        from lead l
        where l.changed_tx >= p_since and (l.workspace_id is null or l.workspace_id = p_workspace)
        union
        select o.lead_id
        from lead_overlay o
        where p_filter ? 'tags' and o.workspace_id = p_workspace and o.tags_tx >= p_since
        union (
          select s.lead_id
          from lead_score s
          where p_filter ? 'minScore'
            and exists (
              select 1
              from campaign_pool k
              where k.campaign_id = p_filter ->> 'campaignId' and k.scores_tx >= p_since
            )
            and s.campaign_id = p_filter ->> 'campaignId'
            and s.total >= (p_filter ->> 'minScore')::real
          except
          select m.lead_id
          from lead_list_member m
          where m.lead_list_id = p_list
        )
        union (
          select m.lead_id
          from lead_list_member m
          where p_filter ? 'minScore'
            and exists (
              select 1
              from campaign_pool k
              where k.campaign_id = p_filter ->> 'campaignId' and k.scores_tx >= p_since
            )
            and m.lead_list_id = p_list
          except
          select s.lead_id
          from lead_score s
          where s.campaign_id = p_filter ->> 'campaignId'
            and s.total >= (p_filter ->> 'minScore')::real
        )
      ) c
      limit p_most
    )
  $$;

revoke execute on function app.changed_for_list(uuid, text, jsonb, xid8, int) from public;
grant execute on function app.changed_for_list(uuid, text, jsonb, xid8, int) to outrider_definer;
