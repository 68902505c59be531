-- Who a person is by now: the one that they were merged into, or they themselves; null when there is no such person.
-- Locked until the transaction ends: whoever merges them waits, and takes along what is written of them.
create or replace function app.person_now(p_person uuid) returns uuid
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select coalesce(p.merged_into, p.id) from person p where p.id = p_person for share $$;

alter function app.person_now(uuid) owner to outrider_definer;
revoke execute on function app.person_now(uuid) from public;
