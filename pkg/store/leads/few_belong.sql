-- Says which of the tags and the score of search p (app.lead_criteria) at most 5,000 leads have: 'tags', 'minScore',
-- or null for neither. It counts up to 5,001, so that the answer costs at most about 1 MB of an index.
create or replace function app.few_belong(p_workspace text, p jsonb) returns text
  language plpgsql stable
  set search_path = outrider, app, public, pg_catalog
  as $$
  begin
    if p ? 'tags'
      and (
        select count(*)
        from (
          select 1
          from lead_overlay o
          where o.tags <> '{}'
            and app.tag_keys(o.workspace_id, o.tags) @> app.tag_keys(p_workspace, app.texts(p -> 'tags'))
          limit 5001
        ) x
      ) <= 5000
    then
      return 'tags';
    elsif p ? 'minScore'
      and (
        select count(*)
        from (
          select 1
          from lead_score s
          where s.campaign_id = p ->> 'campaignId' and s.total >= (p ->> 'minScore')::real
          limit 5001
        ) x
      ) <= 5000
    then
      return 'minScore';
    end if;
    return null;
  end $$;

revoke execute on function app.few_belong(text, jsonb) from public;
grant execute on function app.few_belong(text, jsonb) to outrider_definer;
