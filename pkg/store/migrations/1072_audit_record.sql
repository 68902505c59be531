-- The log by record (1070_audit_actor.sql says why); it takes longest.
create index audit_record on outrider.audit_event using gin (record_ids);
