-- Queues a comparison with a CRM of the lease's workspace, or joins the one under way. Returns its job; null when the
-- CRM is not connected. p_now: epoch ms UTC, product time.
create or replace function app.queue_crm_sync(p_id uuid, p_integration text, p_now bigint) returns uuid
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    found_job uuid;
  begin
    if not exists (
      select 1
      from integration i
      where i.id = p_integration
        and i.workspace_id = app.workspace()
        and i.kind = 'crm'
        and i.status in ('connected', 'error')
        and i.deleted_at is null
    ) then return null; end if;
    insert into background_job (id, workspace_id, kind, work, created_at)
    values (p_id, app.workspace(), 'crm_sync', jsonb_build_object('integrationId', p_integration), p_now)
    on conflict do nothing
    returning id into found_job;
    if found_job is null then
      select j.id into found_job
      from background_job j
      where j.kind = 'crm_sync'
        and j.work ->> 'integrationId' = p_integration
        and j.workspace_id = app.workspace()
        and j.status in ('queued', 'running');
    end if;
    return found_job;
  end $$;

alter function app.queue_crm_sync(uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.queue_crm_sync(uuid, text, bigint) from public;
grant execute on function app.queue_crm_sync(uuid, text, bigint) to outrider_executor;
