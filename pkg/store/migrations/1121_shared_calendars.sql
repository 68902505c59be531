-- Workspaces that connected one calendar have a row each: by this mark their offers and bookings come one after the
-- other. It is a keyed hash of server, account and calendar, so that the row tells nobody which they are; null: it was
-- not needed yet.
alter table outrider.calendar_account add column identity bytea;
create index calendar_account_identity on outrider.calendar_account (identity)
  where identity is not null and deleted_at is null;

-- Who writes to a calendar now, of all executors: what one writes the next one sees.
create table outrider.calendar_lane (
  -- hexadecimal identity of the calendar, else its id
  key text primary key,
  -- the stay of one executor
  holder uuid not null,
  -- real time; after it the executor has given up writing
  until timestamptz not null
);

alter table outrider.calendar_lane enable row level security;
alter table outrider.calendar_lane force row level security;
create policy definer_all on outrider.calendar_lane to outrider_definer using (true) with check (true);
create policy owner_all on outrider.calendar_lane to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.calendar_lane to outrider_definer;
