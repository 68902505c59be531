-- Trigger where nobody needs the bytes of a medium any more: their pieces in the bucket are to be removed. Of one whose
-- fetch did not end nobody knows how many there are: as many as there may be.
create or replace function app.leave_bytes() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into bucket_garbage (medium_id, workspace_id, pieces)
    values (
      old.id, old.workspace_id,
      case when old.state = 'ready' then ceil(old.bytes / 1048576.0)::int else 48 end
    )
    on conflict (medium_id) do nothing;
    return null;
  end $$;

alter function app.leave_bytes() owner to outrider_definer;
revoke execute on function app.leave_bytes() from public;
