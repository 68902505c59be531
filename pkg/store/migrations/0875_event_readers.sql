-- Up to which number each reader of events has read in each workspace. A reader moves on in the transaction that does
-- what it read: what it does in the database happens once, and a reader that dies goes on where it stood.
create table outrider.event_reader (
  workspace_id text not null,
  -- 'notifications', 'deliveries': one row per reader and workspace, however many subscribers it serves
  reader text not null,
  -- event_number.number of the last event that was read
  position bigint not null default 0,
  -- epoch ms, real time; who waited longest is read first
  read_at bigint not null default 0,
  primary key (workspace_id, reader)
);

alter table outrider.event_reader enable row level security;
alter table outrider.event_reader force row level security;
create policy app_platform on outrider.event_reader to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.event_reader to outrider_definer using (true) with check (true);
create policy owner_all on outrider.event_reader to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.event_reader to outrider_app;
grant select, insert, update, delete on outrider.event_reader to outrider_definer;

-- A reader that a version brings begins where each workspace stands: nobody is told now what happened long ago.
insert into outrider.event_reader (workspace_id, reader, position)
select h.workspace_id, r.reader, h.last
from outrider.event_head h
cross join (values ('notifications'), ('deliveries')) r (reader);
