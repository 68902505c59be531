-- Sign-in of chat clients (OAuth 2.1). What a person allows a client is a grant: a user key whose plaintext changes
-- with each renewal. All times here are real time, which no product clock moves.
alter table outrider.api_key
  -- of a grant: the client it was given to; null: a key as people make them
  add column client_id text,
  -- whether it calls what reaches people or spends: a grant only where the person said so
  add column may_reach boolean not null default true;

create index api_key_grant on outrider.api_key (user_id) where client_id is not null and revoked_at is null;
create index api_key_client on outrider.api_key (client_id) where client_id is not null and revoked_at is null;

-- Clients that registered themselves (RFC 7591); those that are named by an address of theirs have no row.
create table outrider.sign_in_client (
  id text primary key,
  -- as it calls itself, which nothing proves
  name text not null,
  redirect_uris text[] not null,
  registered_at timestamptz not null default clock_timestamp(),
  -- when a grant was made or renewed for it last; null: never
  used_at timestamptz
);

create index sign_in_client_unused on outrider.sign_in_client (registered_at) where used_at is null;

-- What a person allowed, until the client fetches it: one row per form that was sent.
create table outrider.sign_in_code (
  code_hash bytea primary key,
  -- of the form: sent twice, it makes one code
  consent_id uuid not null unique,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  -- PKCE, S256
  challenge text not null,
  user_id uuid not null references outrider.app_user(id) on delete cascade,
  scopes text[] not null,
  workspaces text[] not null,
  may_reach boolean not null,
  made_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- when it was shown first, which it may be once; null: not yet
  used_at timestamptz,
  -- the grant that came of it; null: none did
  key_id uuid references outrider.api_key(id) on delete cascade
);

create index sign_in_code_expiry on outrider.sign_in_code (expires_at);
create index sign_in_code_user on outrider.sign_in_code (user_id);
create index sign_in_code_key on outrider.sign_in_code (key_id);

-- Tokens of grants, by hash.
create table outrider.sign_in_token (
  token_hash bytea primary key,
  key_id uuid not null references outrider.api_key(id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  -- fewer than the grant has, as the client asked; null: all of them
  scopes text[],
  made_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- an access token's first call; when a refresh token was renewed
  used_at timestamptz,
  -- the refresh token in place of which it was given
  follows bytea
);

create index sign_in_token_key on outrider.sign_in_token (key_id);
create index sign_in_token_expiry on outrider.sign_in_token (expires_at);

alter table outrider.sign_in_client enable row level security;
alter table outrider.sign_in_client force row level security;
create policy app_platform on outrider.sign_in_client to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.sign_in_client to outrider_definer using (true) with check (true);
create policy owner_all on outrider.sign_in_client to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.sign_in_client to outrider_app;
grant select, insert, update, delete on outrider.sign_in_client to outrider_definer;

alter table outrider.sign_in_code enable row level security;
alter table outrider.sign_in_code force row level security;
create policy app_platform on outrider.sign_in_code to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.sign_in_code to outrider_definer using (true) with check (true);
create policy owner_all on outrider.sign_in_code to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.sign_in_code to outrider_app;
grant select, insert, update, delete on outrider.sign_in_code to outrider_definer;

alter table outrider.sign_in_token enable row level security;
alter table outrider.sign_in_token force row level security;
create policy app_platform on outrider.sign_in_token to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.sign_in_token to outrider_definer using (true) with check (true);
create policy owner_all on outrider.sign_in_token to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.sign_in_token to outrider_app;
grant select, insert, update, delete on outrider.sign_in_token to outrider_definer;
