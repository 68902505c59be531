-- Returns the lane (2 to 32767) of a workflow's parked runs; several workflows may share one.
create or replace function app.parked_lane(p_workflow text) returns smallint
  language sql immutable
  as $$ select (2 + ('x' || left(md5(p_workflow), 4))::bit(16)::int % 32766)::smallint $$;

revoke execute on function app.parked_lane(text) from public;
grant execute on function app.parked_lane(text) to outrider_app, outrider_definer, outrider_executor;
