-- Returns the runs that the last deletion of a workflow ended and that can be taken up again: its campaign is the
-- same, the lead is there, has no other live run in it, and no colleague answered meanwhile where the campaign leaves
-- a company alone then.
create or replace function app.ended_with(p_workflow text) returns setof uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with f as materialized (
      select
        w.id,
        w.workspace_id,
        w.campaign_id,
        greatest(w.last_deleted_at, w.deleted_at) as since,
        app.policy_flag(c.settings, 'stopCompanyOnReply') as stops_company
      from workflow w
      join campaign c on c.id = w.campaign_id
      where w.id = p_workflow and app.may_use(w.workspace_id)
    )
    select r.id
    from f
    join run r on r.workspace_id = f.workspace_id and r.workflow_id = f.id and r.campaign_id = f.campaign_id
    left join lead l on l.id = r.lead_id
    where r.ended_at >= f.since
      and l.erased_at is null
      and r.end_reason = 'the workflow was deleted'
      and not exists (
        select 1
        from run o
        where o.workflow_id = f.id and o.lead_id = r.lead_id and o.ended_at is null
      )
      and not (
        f.stops_company
        and exists (
          select 1
          from app.answered_companies(f.workspace_id, f.campaign_id) a
          where a.company_key = l.company_key and a.lead_id <> l.id
        )
      )
  $$;

alter function app.ended_with(text) owner to outrider_definer;
revoke execute on function app.ended_with(text) from public;
grant execute on function app.ended_with(text) to outrider_app;
