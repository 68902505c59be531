-- What a session listens to, and what its event streams may be asked for again. Sessions are signed tokens without a
-- row; a session is named here by the hash of its token.
set local search_path = outrider, app, public;

create table outrider.resource_subscription (
  session_hash bytea not null,
  uri text not null check (length(uri) <= 400),
  -- Version of the record that was last told, so that one replica tells of a change and no other.
  seen text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_hash, uri)
);
create index resource_subscription_age on outrider.resource_subscription (created_at);
alter table outrider.resource_subscription enable row level security;
alter table outrider.resource_subscription force row level security;
create policy owner_all on outrider.resource_subscription to outrider_owner using (true) with check (true);
create policy app_all on outrider.resource_subscription to outrider_app using (true) with check (true);
grant select, insert, update, delete on outrider.resource_subscription to outrider_app;

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
create index stream_event_age on outrider.stream_event (at);
alter table outrider.stream_event enable row level security;
alter table outrider.stream_event force row level security;
create policy owner_all on outrider.stream_event to outrider_owner using (true) with check (true);
create policy app_all on outrider.stream_event to outrider_app using (true) with check (true);
grant select, insert, delete on outrider.stream_event to outrider_app;
