-- Trigger where a `lead_import` has ended.
create or replace function app.tell_import() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id, new.finished_at, 'import.completed', 'system',
      jsonb_build_object(
        'importId', new.id, 'status', new.status, 'created', new.created, 'updated', new.updated,
        'skipped', new.skipped, 'suppressed', new.suppressed, 'excluded', new.excluded, 'failed', new.failed
      )
    );
    return null;
  end $$;

alter function app.tell_import() owner to outrider_definer;
revoke execute on function app.tell_import() from public;
