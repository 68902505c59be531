-- Returns the change of an audit record without its reason, whose SHA-256 stays (reasonHash), so that the record keeps
-- its place in the chain. A record of before 0.3.0 is chained by the reason itself and stays as it is.
create or replace function app.reason_hashed(p_change jsonb) returns jsonb
  language sql immutable
  as $$
    select case
      when p_change ? 'reason' and p_change ? 'reasonHash' then p_change - 'reason'
      else p_change
    end
  $$;

revoke execute on function app.reason_hashed(jsonb) from public;
grant execute on function app.reason_hashed(jsonb) to outrider_definer;
