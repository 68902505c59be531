-- Says whether this run waits for what the settings of its account decide: a budget, pace or hours. Not one that is
-- under way or waits for a person.
create or replace function app.waits_for_settings(r outrider.run) returns boolean
  language sql immutable
  as $$
    select r.wait_reason in ('budget', 'pacing', 'business_hours')
      and r.send_id is null
      and r.ended_at is null
      and r.due_at is not null
      and r.state not in ('paused', 'replied')
  $$;

revoke execute on function app.waits_for_settings(outrider.run) from public;
grant execute on function app.waits_for_settings(outrider.run) to outrider_definer;
