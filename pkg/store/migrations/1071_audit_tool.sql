-- The log by tool (1070_audit_actor.sql says why).
create index audit_tool on outrider.audit_event (tool, seq desc);
