-- The log by time (1070_audit_actor.sql says why): a time of which there is nothing is told without a walk over all.
create index audit_at on outrider.audit_event (at);
-- One that ends with the page came in its place.
drop function if exists app.events_of_record(text);
-- What waits to be sorted into this index is read by each search of it.
alter index outrider.audit_record set (gin_pending_list_limit = 256);
