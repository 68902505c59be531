-- The lane whose claims take the runs of an account (claim-lane.ts has the same): by the last character of its id.
create or replace function app.lane_of(p_account text) returns smallint
  language sql immutable
  as $$ select coalesce(ascii(right(p_account, 1)) % 2, 0)::smallint $$;
revoke execute on function app.lane_of(text) from public;
grant execute on function app.lane_of(text) to outrider_app, outrider_definer, outrider_executor;
