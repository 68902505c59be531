-- Returns when an id was made: the 48 bits of a UUIDv7 that are epoch ms.
create or replace function app.id_time(p_id uuid) returns bigint
  language sql immutable
  as $$ select ('x' || translate(left(p_id::text, 13), '-', ''))::bit(48)::bigint $$;

revoke execute on function app.id_time(uuid) from public;
grant execute on function app.id_time(uuid) to outrider_definer;
