-- Where a run stands in the agenda, or null.
create or replace function app.agenda_at(p_due bigint, p_reason text, p_ended bigint) returns bigint
  language sql immutable
  as $$ select coalesce(p_due, case when p_reason = 'send_freeze' and p_ended is null then 9223372036854775807 end) $$;
grant execute on function app.agenda_at(bigint, text, bigint) to outrider_app, outrider_definer, outrider_executor;
