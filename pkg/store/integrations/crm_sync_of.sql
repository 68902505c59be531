-- Returns how a comparison with a CRM of the lease's workspace stands; no row for any other job.
create or replace function app.crm_sync_of(p_job uuid)
  returns table (status text, work jsonb, error text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select j.status, j.work, j.error
    from background_job j
    where j.id = p_job and j.kind = 'crm_sync' and j.workspace_id = app.workspace()
  $$;

alter function app.crm_sync_of(uuid) owner to outrider_definer;
revoke execute on function app.crm_sync_of(uuid) from public;
grant execute on function app.crm_sync_of(uuid) to outrider_executor;
