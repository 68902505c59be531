-- To drop a month of history takes a lock on the whole history, which waits for whoever reads it, a backup for hours; meanwhile
-- everybody who writes history waits behind that lock. It is tried again in an hour instead.
alter function app.drop_old_events(bigint, int) set lock_timeout = '500ms';
