-- Calls that a limit refused are in the audit log too: those of one key and one tool that were refused in one batch share
-- a record, which says how many they were.
alter table outrider.audit_event add column calls bigint not null default 1 check (calls > 0);
