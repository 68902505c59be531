-- Trigger where a connected system refuses us for good.
create or replace function app.tell_integration() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id, app.product_now(), 'integration.error', 'system',
      jsonb_build_object('integrationId', new.id, 'reason', coalesce(new.last_error, ''))
    );
    return null;
  end $$;

alter function app.tell_integration() owner to outrider_definer;
revoke execute on function app.tell_integration() from public;
