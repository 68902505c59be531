-- Settings of mailboxes and calendars that tools change.

-- What its mails end with; empty: nothing.
alter table outrider.mailbox add column signature text not null default '';
-- The timezone that its provider told (null: none did), and whether a person chose another one.
alter table outrider.mailbox add column detected_timezone text;
alter table outrider.mailbox add column timezone_overridden boolean not null default false;
-- Until now only people named one.
update outrider.mailbox m
set timezone_overridden = true
from outrider.network_account a
where a.id = m.account_id and a.timezone <> 'UTC';

-- The mailbox that a workspace sends from where none is named.
alter table outrider.account_link add column is_default boolean not null default false;

-- As for mailboxes; free minutes before and after meetings.
alter table outrider.calendar_account add column is_default boolean not null default false;
alter table outrider.calendar_account add column detected_timezone text;
alter table outrider.calendar_account add column timezone_overridden boolean not null default false;
alter table outrider.calendar_account
  add column buffer_before int not null default 0 check (buffer_before between 0 and 120);
alter table outrider.calendar_account
  add column buffer_after int not null default 0 check (buffer_after between 0 and 120);
update outrider.calendar_account set detected_timezone = timezone where timezone <> 'UTC';
