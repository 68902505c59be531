-- Trigger where a connected system refuses us for good.
create or replace function app.tell_integration() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id, app.product_now(), 'integration.error', 'system',
      -- Of one member's own endpoint they are told (pkg/domain/notifications/who-is-told.ts).
      jsonb_strip_nulls(
        jsonb_build_object('integrationId', new.id, 'reason', coalesce(new.last_error, ''), 'member', new.member_user)
      )
    );
    return null;
  end $$;

alter function app.tell_integration() owner to outrider_definer;
revoke execute on function app.tell_integration() from public;
