-- Trigger where a key of a workspace is made or revoked.
create or replace function app.tell_key() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id,
      case when tg_op = 'INSERT' then new.created_at else new.revoked_at end,
      case when tg_op = 'INSERT' then 'key.created' else 'key.revoked' end,
      coalesce(case when tg_op = 'INSERT' then new.created_by::text end, 'system'),
      jsonb_build_object('apiKeyId', new.id)
    );
    return null;
  end $$;

alter function app.tell_key() owner to outrider_definer;
revoke execute on function app.tell_key() from public;
