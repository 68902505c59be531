-- Returns the lane of a run's entry in the due index: that of its account (app.lane_of), for a parked run that of its
-- workflow (app.parked_lane). p_place: what app.agenda_at says of it.
create or replace function app.agenda_lane(p_place bigint, p_account text, p_workflow text) returns smallint
  language sql immutable
  as $$
    select case
      when p_place = 9223372036854775807 then app.parked_lane(p_workflow)
      else app.lane_of(p_account)
    end
  $$;

revoke execute on function app.agenda_lane(bigint, text, text) from public;
grant execute on function app.agenda_lane(bigint, text, text) to outrider_app, outrider_definer, outrider_executor;
