-- Gives back the units and keys of sends that are proven not to have happened, or that never left (catalog: budget is
-- returned only on failed), as app.return_units does. The caller has checked whose sends these are and sees to it that
-- each comes once. Locks: those of app.return_units.
create or replace function app.return_sends(p_sends uuid[]) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform app.return_units(p_sends);
    delete from send_key k where k.send_id = any (p_sends);
  end $$;

alter function app.return_sends(uuid[]) owner to outrider_definer;
revoke execute on function app.return_sends(uuid[]) from public;
