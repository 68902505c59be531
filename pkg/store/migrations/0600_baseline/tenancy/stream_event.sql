-- Events that a client may have missed, readable with the session's token only: sealed under a key made from it.
create table outrider.stream_event (
  session_hash bytea not null,
  stream text not null,
  seq int not null,
  sealed bytea not null,
  -- Whether the stream ends with this event.
  last boolean not null,
  at timestamptz not null default clock_timestamp(),
  primary key (session_hash, stream, seq)
);

create index stream_event_age on outrider.stream_event (at) where stream <> 'get';
create index stream_event_standing on outrider.stream_event (at) where stream = 'get';

alter table outrider.stream_event enable row level security;
alter table outrider.stream_event force row level security;
create policy app_all on outrider.stream_event to outrider_app using (true) with check (true);
create policy owner_all on outrider.stream_event to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.stream_event to outrider_app;
