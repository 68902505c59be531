-- Returns the records of the audit log (their seq) of calls that were about p_record, for a transaction of the
-- platform; nothing for others. It is a definer function, since row-level security lets no index answer what an array
-- contains.
create or replace function app.events_of_record(p_record text) returns setof bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select e.seq from audit_event e where app.is_platform() and e.record_ids @> array[p_record]
  $$;

alter function app.events_of_record(text) owner to outrider_definer;
revoke execute on function app.events_of_record(text) from public;
grant execute on function app.events_of_record(text) to outrider_app;
