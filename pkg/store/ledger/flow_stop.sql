-- Returns 'send_freeze' when the mode of the workspace, the state of the campaign, the workflow's switch, a deletion
-- or a hold of one of them stops this workflow, else null. An action without a run has no workflow ('') and may have
-- no campaign (''). Every claim of sends asks it, app.work_due and app.plan_idle, and tools that say why runs wait.
create or replace function app.flow_stop(p_workspace text, p_campaign text, p_workflow text) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select case
      when not exists (
          select 1
          from workspace
          where id = p_workspace and operating_mode = 'Running' and deleted_at is null
        )
        or p_campaign is distinct from ''
          and not exists (select 1 from campaign where id = p_campaign and state = 'active' and deleted_at is null)
        or p_workflow is distinct from ''
          and not exists (select 1 from workflow where id = p_workflow and enabled and deleted_at is null)
        or exists (
          select 1
          from hold
          where (kind, id) in (('workspace', p_workspace), ('campaign', p_campaign), ('workflow', p_workflow))
        ) then 'send_freeze'
    end
  $$;

alter function app.flow_stop(text, text, text) owner to outrider_definer;
revoke execute on function app.flow_stop(text, text, text) from public;
grant execute on function app.flow_stop(text, text, text) to outrider_app;
