-- Returns how many credits must be available so that nobody is told that they run low: a tenth of what the workspace is
-- granted a month, 100 where it has no monthly grant.
create or replace function app.credits_low_at(p_workspace text) returns bigint
  language sql stable
  as $$
    select coalesce(nullif((w.limits ->> 'monthlyCredits')::bigint, 0) / 10, 100)
    from workspace w
    where w.id = p_workspace
  $$;

grant execute on function app.credits_low_at(text) to outrider_definer;
