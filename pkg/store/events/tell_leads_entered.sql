-- Trigger after inserts into `run`: tells of leads that entered a campaign. Who has another run there that is live, or
-- that ended at this very moment (a workflow hands over), was in it already.
create or replace function app.tell_leads_entered() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, x.at, 'lead.entered_campaign', 'engine',
      jsonb_build_object('campaignId', x.campaign_id, 'workflowId', x.workflow_id, 'leadIds', t.part)
    from (
      select
        n.workspace_id, n.campaign_id, n.workflow_id, max(n.started_at) as at,
        array_agg(n.lead_id order by n.id) as ids
      from new_rows n
      where not exists (
        select 1
        -- By the person first: where Postgres knows nothing of the table it would read all runs of the workspace.
        from (
          select x.id, x.workspace_id, x.lead_id, x.campaign_id, x.ended_at
          from run x
          where x.person_id = n.person_id
          offset 0
        ) o
        where o.workspace_id = n.workspace_id
          and o.lead_id = n.lead_id
          and o.campaign_id = n.campaign_id
          and o.id <> n.id
          and (o.ended_at is null or o.ended_at >= n.started_at)
      )
      group by 1, 2, 3
    ) x
    cross join lateral app.thousands(x.ids) as t (part);
    return null;
  end $$;

alter function app.tell_leads_entered() owner to outrider_definer;
revoke execute on function app.tell_leads_entered() from public;
