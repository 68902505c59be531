-- Returns who a person is by now: the one into whom they were merged, or they themselves; null when there is no such
-- person. It locks that person until the transaction ends: a merge waits, and takes along what is written of them.
create or replace function app.person_now(p_person uuid) returns uuid
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select coalesce(p.merged_into, p.id) from person p where p.id = p_person for share $$;

alter function app.person_now(uuid) owner to outrider_definer;
revoke execute on function app.person_now(uuid) from public;
