-- Returns a UUIDv7 of the database's clock, as the program makes ids: rows of one time lie together, and the newest
-- come last.
create or replace function app.new_id() returns uuid
  language sql
  as $$
    select encode(
      set_bit(
        set_bit(
          overlay(
            uuid_send(gen_random_uuid()) placing substring(
              int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3
            ) from 1 for 6
          ),
          52,
          1
        ),
        53,
        1
      ),
      'hex'
    )::uuid
  $$;

revoke execute on function app.new_id() from public;
grant execute on function app.new_id() to outrider_definer;
