-- Returns the place of a run in the due index (epoch ms, product time): when it is due; the end of time
-- (app.parked_at) while it is parked, that is stopped from outside without a known end; null, no place, while it
-- waits for an event or has ended. Parameters: `due_at`, `wait_reason` and `ended_at` of the run.
create or replace function app.agenda_at(p_due bigint, p_reason text, p_ended bigint) returns bigint
  language sql immutable
  as $$
    select coalesce(p_due, case when p_reason = 'send_freeze' and p_ended is null then 9223372036854775807 end)
  $$;

grant execute on function app.agenda_at(bigint, text, bigint) to outrider_app, outrider_definer, outrider_executor;
