-- The order of a run's history: lines of one moment stand as they were written.
create sequence outrider.run_event_order;
grant usage on sequence outrider.run_event_order to outrider_app, outrider_executor, outrider_definer;
