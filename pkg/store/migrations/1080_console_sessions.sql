-- Who is signed in to the console. A session is looked up at each request, so what ends it holds at the next one. Times
-- are real time: product time may be a test's.
create table outrider.console_session (
  id uuid primary key,
  -- SHA-256 of what the cookie holds
  token_hash bytea not null unique,
  user_id uuid not null references outrider.app_user(id) on delete cascade,
  -- by what its user proved to be it
  way text not null check (way in ('claim', 'mail', 'oidc', 'passkey')),
  signed_in_at timestamptz not null default clock_timestamp(),
  -- exact to a minute
  seen_at timestamptz not null default clock_timestamp(),
  -- moves on with each use
  expires_at timestamptz not null,
  -- signed out; null: open
  ended_at timestamptz
);

create index console_session_user on outrider.console_session (user_id) where ended_at is null;
create index console_session_expired on outrider.console_session (expires_at);

-- Links that sign somebody in, once: that of the first admin (claim), and those that are mailed.
create table outrider.console_link (
  id uuid primary key,
  -- SHA-256 of what the link holds
  token_hash bytea not null unique,
  kind text not null check (kind in ('claim', 'sign_in')),
  -- whom it signs in; of a claim null until somebody claimed
  user_id uuid references outrider.app_user(id) on delete cascade,
  -- workspaces that who claims becomes a member of
  workspaces text[] not null default '{}',
  made_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- null: it may still be used
  used_at timestamptz
);

create index console_link_user on outrider.console_link (user_id);
create index console_link_expired on outrider.console_link (expires_at) where used_at is null;

alter table outrider.console_session enable row level security;
alter table outrider.console_session force row level security;
create policy app_platform on outrider.console_session to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.console_session to outrider_definer using (true) with check (true);
create policy owner_all on outrider.console_session to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.console_session to outrider_app;
grant select, insert, update, delete on outrider.console_session to outrider_definer;

alter table outrider.console_link enable row level security;
alter table outrider.console_link force row level security;
create policy app_platform on outrider.console_link to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.console_link to outrider_definer using (true) with check (true);
create policy owner_all on outrider.console_link to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.console_link to outrider_app;
grant select, insert, update, delete on outrider.console_link to outrider_definer;
