-- Trigger where somebody becomes a member.
create or replace function app.tell_member() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id, new.joined_at, 'member.joined', new.user_id::text,
      jsonb_build_object('memberId', new.id, 'role', new.role)
    );
    return null;
  end $$;

alter function app.tell_member() owner to outrider_definer;
revoke execute on function app.tell_member() from public;
