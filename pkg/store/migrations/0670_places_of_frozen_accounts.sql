-- Parked runs of accounts that are frozen without an end stand in entries of their own, by account, in lane -1: each look of an executor asked every
-- parked run whether it may go on, half a second for 100,000. frozen_account: the account whose freeze held all runs of the entry when it was
-- written; null: any other entry.
alter table outrider.agenda add column frozen_account text;
alter table outrider.agenda alter column frozen_account set statistics 0;
-- Which accounts have such places, and their entries.
create index agenda_frozen on outrider.agenda (workspace_id, frozen_account) where frozen_account is not null;
drop function if exists app.may_go_on(uuid[], text[], text[]);
