-- One record of all that happens in a workspace: run_event holds what has no run too, and what was committed gets a
-- number per workspace afterwards, by one numberer (app.number_events). A reader follows the numbers: none comes later
-- below one that was there.
alter table outrider.run_event alter column run_id drop not null;

-- The transaction has its id before it draws a place: who drew a place that was drawn before a snapshot is known to
-- that snapshot. The numberer relies on it, so that it need not look back for ever.
alter table outrider.run_event
  alter column seq set default case
    when pg_current_xact_id() is not null then nextval('outrider.run_event_order'::regclass)
  end;

create index run_event_seq on outrider.run_event (seq);

create table outrider.event_number (
  workspace_id text not null,
  -- 1, 2, 3 … of the workspace, in the order in which they were seen to be committed
  number bigint not null,
  -- run_event.seq
  seq bigint not null,
  -- epoch ms, product time; of the event
  at bigint not null,
  kind text not null,
  primary key (workspace_id, number)
);

create unique index event_number_seq on outrider.event_number (seq);
create index event_number_at on outrider.event_number using brin (at);

alter table outrider.event_number enable row level security;
alter table outrider.event_number force row level security;
create policy app_visible on outrider.event_number for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.event_number for select to outrider_executor
  using (workspace_id = (select app.workspace()));
create policy definer_all on outrider.event_number to outrider_definer using (true) with check (true);
create policy owner_all on outrider.event_number to outrider_owner using (true) with check (true);
grant select on outrider.event_number to outrider_app, outrider_executor;
grant select, insert, delete on outrider.event_number to outrider_definer;

-- The last number of each workspace.
create table outrider.event_head (
  workspace_id text primary key,
  last bigint not null
);

alter table outrider.event_head enable row level security;
alter table outrider.event_head force row level security;
create policy app_visible on outrider.event_head for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.event_head to outrider_definer using (true) with check (true);
create policy owner_all on outrider.event_head to outrider_owner using (true) with check (true);
grant select on outrider.event_head to outrider_app;
grant select, insert, update on outrider.event_head to outrider_definer;

-- Where the numberer stands; one row.
create table outrider.event_numberer (
  one boolean primary key default true check (one),
  -- all that drew a place up to here is numbered, or was never committed
  floor_seq bigint not null,
  -- the floor rises to mark_seq once each transaction below mark_xid has ended
  mark_seq bigint not null,
  mark_xid xid8 not null
);

alter table outrider.event_numberer enable row level security;
alter table outrider.event_numberer force row level security;
create policy app_platform on outrider.event_numberer for select to outrider_app using ((select app.is_platform()));
create policy definer_all on outrider.event_numberer to outrider_definer using (true) with check (true);
create policy owner_all on outrider.event_numberer to outrider_owner using (true) with check (true);
grant select on outrider.event_numberer to outrider_app;
grant select, update on outrider.event_numberer to outrider_definer;
grant select on outrider.run_event_order to outrider_definer;

-- What happened before this migration has no number: nobody could follow it then, and nobody is told of it now.
insert into outrider.event_numberer (floor_seq, mark_seq, mark_xid)
select x.drawn, x.drawn, pg_snapshot_xmax(pg_current_snapshot())
from (select case when s.is_called then s.last_value else 0 end as drawn from outrider.run_event_order s) x;
