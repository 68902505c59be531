-- Trigger after inserts into `lead_score`: tells of the scored leads, a thousand at a time.
create or replace function app.tell_scores_made() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, max(x.computed_at), 'lead.score_changed', 'system',
      jsonb_build_object('campaignId', x.campaign_id, 'leadIds', jsonb_agg(x.lead_id))
    from (
      select
        n.*,
        (row_number() over (partition by n.workspace_id, n.campaign_id order by n.lead_id) - 1) / 1000 as chunk
      from new_rows n
    ) x
    group by x.workspace_id, x.campaign_id, x.chunk;
    return null;
  end $$;

alter function app.tell_scores_made() owner to outrider_definer;
revoke execute on function app.tell_scores_made() from public;
