-- Returns how many credits must be available so that they do not run low, by the limits of a workspace: a tenth of what
-- it is granted a month, 100 where it has no monthly grant. Events and metrics ask it.
create or replace function app.credits_low_of(p_limits jsonb) returns bigint
  language sql immutable parallel safe
  as $$ select coalesce(nullif((p_limits ->> 'monthlyCredits')::bigint, 0) / 10, 100) $$;

revoke execute on function app.credits_low_of(jsonb) from public;
grant execute on function app.credits_low_of(jsonb) to outrider_app, outrider_definer;
