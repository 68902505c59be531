-- Trigger after inserts into `lead_score`: tells of the scored leads, a thousand at a time.
create or replace function app.tell_scores_made() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, x.at, 'lead.score_changed', 'system',
      jsonb_build_object('campaignId', x.campaign_id, 'leadIds', t.part)
    from (
      select n.workspace_id, n.campaign_id, max(n.computed_at) as at, array_agg(n.lead_id order by n.lead_id) as ids
      from new_rows n
      group by 1, 2
    ) x
    cross join lateral app.thousands(x.ids) as t (part);
    return null;
  end $$;

alter function app.tell_scores_made() owner to outrider_definer;
revoke execute on function app.tell_scores_made() from public;
