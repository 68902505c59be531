-- Events that a client may have missed and can ask for again, by any server: those of a call for a quarter of an hour, those of a session's
-- GET stream for two days (real time), 500 a stream. Sealed under a key made from the session's token, which only its client has.
create table outrider.stream_event (
  session_hash bytea not null,
  -- `get`: that of the session; else that of a call
  stream text not null,
  seq int not null,
  sealed bytea not null,
  -- Whether the stream ends with this event.
  last boolean not null,
  at timestamptz not null default clock_timestamp(),
  primary key (session_hash, stream, seq)
);

-- What is old enough to go, by kind.
create index stream_event_age on outrider.stream_event (at) where stream <> 'get';
create index stream_event_standing on outrider.stream_event (at) where stream = 'get';

alter table outrider.stream_event enable row level security;
alter table outrider.stream_event force row level security;
create policy app_all on outrider.stream_event to outrider_app using (true) with check (true);
create policy owner_all on outrider.stream_event to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.stream_event to outrider_app;
