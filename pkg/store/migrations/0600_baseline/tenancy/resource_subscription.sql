-- Which resources a session follows, or a stream of a client without sessions; the server that finds a change first tells of it. Two days (real
-- time) at most.
create table outrider.resource_subscription (
  -- of the session, or of the stream
  session_hash bytea not null,
  -- outrider://…
  uri text not null check (length(uri) <= 400),
  -- Version of the record that was last told, so that one replica tells of a change and no other.
  seen text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- the session's GET stream that is told; null: none yet
  stream uuid,
  primary key (session_hash, uri)
);

-- What is old enough to go.
create index resource_subscription_age on outrider.resource_subscription (created_at);

alter table outrider.resource_subscription enable row level security;
alter table outrider.resource_subscription force row level security;
create policy app_all on outrider.resource_subscription to outrider_app using (true) with check (true);
create policy owner_all on outrider.resource_subscription to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.resource_subscription to outrider_app;
