-- Returns the lane (0 or 1) of the dequeues that take the runs of an account: by the last character of its id, as
-- claim-lane.ts has it; 0 without an account.
create or replace function app.lane_of(p_account text) returns smallint
  language sql immutable
  as $$ select coalesce(ascii(right(p_account, 1)) % 2, 0)::smallint $$;

revoke execute on function app.lane_of(text) from public;
grant execute on function app.lane_of(text) to outrider_app, outrider_definer, outrider_executor;
