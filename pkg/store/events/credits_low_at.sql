-- Returns how many credits must be available so that nobody is told that they run low.
create or replace function app.credits_low_at() returns bigint
  language sql immutable
  as $$ select 100::bigint $$;

grant execute on function app.credits_low_at() to outrider_definer;
