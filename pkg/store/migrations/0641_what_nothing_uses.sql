-- What nothing reads or writes: the workspace of one record is asked for as that of several, the epoch of restores and the server's
-- identifier stand in restore_guard, and account sync keeps no version of a system.
drop function if exists app.record_workspace(text, text);
alter table outrider.installation drop column restore_epoch, drop column system_identifier;
alter table outrider.account_wake drop column system_seen;
