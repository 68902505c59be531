-- Returns a workspace that a platform admin deleted, whose content is gone and which has no certificate yet: what was
-- erased of it, and what stays as proof of contact. Times are epoch ms UTC, product time. No row when there is none,
-- and unless the caller is the platform.
create or replace function app.erased_workspace()
  returns table (workspace_id text, marked_at bigint, purged_at bigint, erased jsonb, kept jsonb)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select
      w.id,
      (w.deletion ->> 'at')::bigint,
      w.purged_at,
      coalesce(w.deletion -> 'erased', '{}'),
      jsonb_build_object(
        'send', (select count(*) from send x where x.workspace_id = w.id),
        'send_key', (select count(*) from send_key x where x.workspace_id = w.id),
        'credit_entry', (select count(*) from credit_entry x where x.workspace_id = w.id),
        'audit_event', (select count(*) from audit_event x where x.workspace_id = w.id)
      )
    from workspace w
    where app.is_platform()
      and w.erase_at is not null
      and w.purged_at is not null
      and not exists (select 1 from workflow f where f.workspace_id = w.id and f.purged_at is null)
      and not exists (select 1 from certificate c where c.kind = 'workspace_deletion' and c.subject = w.id)
    order by w.purged_at limit 1
  $$;

alter function app.erased_workspace() owner to outrider_definer;
revoke execute on function app.erased_workspace() from public;
grant execute on function app.erased_workspace() to outrider_app;
