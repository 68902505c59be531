-- What is used once besides links: the state of a way to an OpenID provider, and the challenge of a passkey.
alter table outrider.console_link drop constraint console_link_kind_check;
alter table outrider.console_link
  add constraint console_link_kind_check check (kind in ('claim', 'sign_in', 'oidc', 'passkey', 'new_passkey'));

-- Passkeys by which people sign in; what is secret of them never leaves their devices.
create table outrider.console_passkey (
  id uuid primary key,
  user_id uuid not null references outrider.app_user(id) on delete cascade,
  -- as the device names it
  credential_id bytea not null unique,
  -- COSE
  public_key bytea not null,
  -- rises with each use, where the device counts
  counter bigint not null,
  -- how the device is reached, as the browser says
  transports text[] not null default '{}',
  -- by which its owner tells it from others
  name text not null,
  made_at timestamptz not null default clock_timestamp(),
  -- null: never
  used_at timestamptz
);

create index console_passkey_user on outrider.console_passkey (user_id);

alter table outrider.console_passkey enable row level security;
alter table outrider.console_passkey force row level security;
create policy app_platform on outrider.console_passkey to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.console_passkey to outrider_definer using (true) with check (true);
create policy owner_all on outrider.console_passkey to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.console_passkey to outrider_app;
grant select, insert, update, delete on outrider.console_passkey to outrider_definer;
