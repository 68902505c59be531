-- Trigger: a draft that was approved or rejected lets its run go on at that moment (product time), and wakes its
-- workspace. A run that is paused, or that waits for something else by now, stays as it is.
create or replace function app.on_review_decided() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    update run r
    set due_at = coalesce(n.decided_at, 0)
    from new_rows n
    join old_rows o on o.id = n.id
    where o.state = 'pending'
      and n.state in ('approved', 'rejected')
      and r.id = n.run_id
      and r.state = 'in_review'
      and r.ended_at is null;
    if found then
      perform app.wake_workspaces((select array_agg(distinct n.workspace_id) from new_rows n), 0, 'review');
    end if;
    return null;
  end $$;

alter function app.on_review_decided() owner to outrider_definer;
revoke execute on function app.on_review_decided() from public;
grant execute on function app.on_review_decided() to outrider_owner;
