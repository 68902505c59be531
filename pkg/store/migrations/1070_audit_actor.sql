-- Who asks the log for an actor, a tool or a record finds its rows by index. Without these, a filter that few records
-- meet reads the whole log, which is kept for good: 0.2 s at 100,000 records, and longer with each call ever made.
-- Nobody writes into the log while an index of it is made: each has its own migration, so that what waits goes between.
create index audit_actor on outrider.audit_event (actor_id, seq desc);
