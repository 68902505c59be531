-- Returns the place of parked runs in the due index: the end of time, to which no dequeue comes.
create or replace function app.parked_at() returns bigint
  language sql immutable
  as $$ select 9223372036854775807 $$;

grant execute on function app.parked_at() to outrider_app, outrider_definer, outrider_executor;
