-- Returns how many credits of a workspace must be available so that they do not run low (app.credits_low_of).
create or replace function app.credits_low_at(p_workspace text) returns bigint
  language sql stable
  as $$
    select app.credits_low_of(w.limits)
    from workspace w
    where w.id = p_workspace
  $$;

grant execute on function app.credits_low_at(text) to outrider_definer;
