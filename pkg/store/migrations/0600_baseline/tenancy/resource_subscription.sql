create table outrider.resource_subscription (
  session_hash bytea not null,
  uri text not null check (length(uri) <= 400),
  -- Version of the record that was last told, so that one replica tells of a change and no other.
  seen text not null,
  created_at timestamptz not null default clock_timestamp(),
  stream uuid,
  primary key (session_hash, uri)
);

create index resource_subscription_age on outrider.resource_subscription (created_at);

alter table outrider.resource_subscription enable row level security;
alter table outrider.resource_subscription force row level security;
create policy app_all on outrider.resource_subscription to outrider_app using (true) with check (true);
create policy owner_all on outrider.resource_subscription to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.resource_subscription to outrider_app;
