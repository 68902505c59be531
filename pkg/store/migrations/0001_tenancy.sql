-- Schemas, tenancy functions, and the first tables: users, workspaces, members, keys, claims.
-- Product time is bigint (epoch ms UTC); real time is timestamptz on the database clock.
-- Roles are made before the first migration (pkg/postgres/roles.sql): outrider_owner runs this file,
-- outrider_app (MCP server, operator) and outrider_executor own nothing, outrider_definer cannot log in.
create extension if not exists pg_trgm with schema public;
create schema app;
create schema outrider;
grant usage on schema outrider, app to outrider_app, outrider_executor, outrider_definer;
grant create on schema app to outrider_definer;
set local search_path = outrider, app, public;

-- What this transaction may see. The server sets it from the caller's key at the start of the transaction.
-- An executor's login can set these settings too, so they mean nothing for it: it has its claim token only.
create function app.workspaces() returns text[] language sql stable
  as $$ select case when session_user <> 'outrider_executor' then string_to_array(nullif(current_setting('app.workspaces', true), ''), ',') end $$;
create function app.is_platform() returns boolean language sql stable
  as $$ select session_user <> 'outrider_executor' and coalesce(current_setting('app.platform', true), '') = 'on' $$;

-- Claims: a rising epoch per workspace (executor) or account (account sync), on the database clock.
create table outrider.claim (
  kind text not null check (kind in ('workspace', 'account')),
  key text not null,
  epoch bigint not null default 0,
  holder text,
  expires_at timestamptz,
  drain_epoch bigint,
  idle_epoch bigint,
  idle_since timestamptz,
  primary key (kind, key)
) with (fillfactor = 50);

-- HMAC-SHA256 pads of the claim secret; only the definer role reads them.
create table app.claim_secret (
  only_row boolean primary key default true check (only_row),
  inner_pad bytea not null,
  outer_pad bytea not null
);

create function app.claim_mac(body text) returns text language sql stable security definer set search_path = app, pg_catalog
  as $$ select encode(sha256(s.outer_pad || sha256(s.inner_pad || convert_to(body, 'UTF8'))), 'hex') from app.claim_secret s $$;

-- kind|key|epoch|expiry(epoch seconds)|mac
create function app.mint_token(p_kind text, p_key text, p_epoch bigint) returns text
  language sql volatile security definer set search_path = app, pg_catalog
  as $$
    select b.body || '|' || app.claim_mac(b.body)
    from (select p_kind || '|' || p_key || '|' || p_epoch || '|' || (extract(epoch from clock_timestamp())::bigint + 3600) as body) b
  $$;

-- The key of the current, unexpired claim of this kind that the transaction's token proves, else null.
create function app.proven_key(p_kind text) returns text
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    token text := current_setting('app.claim_token', true);
    part text[];
    found_key text;
  begin
    if token is null or token = '' then return null; end if;
    part := string_to_array(token, '|');
    if array_length(part, 1) is distinct from 5 or part[1] <> p_kind then return null; end if;
    if part[5] <> app.claim_mac(part[1] || '|' || part[2] || '|' || part[3] || '|' || part[4]) then return null; end if;
    if part[4]::bigint < extract(epoch from clock_timestamp()) then return null; end if;
    select c.key into found_key from outrider.claim c
      where c.kind = p_kind and c.key = part[2] and c.epoch = part[3]::bigint and c.expires_at > clock_timestamp();
    return found_key;
  end $$;

create function app.workspace() returns text language sql stable security definer set search_path = app, pg_catalog
  as $$ select app.proven_key('workspace') $$;
create function app.account() returns text language sql stable security definer set search_path = app, pg_catalog
  as $$ select app.proven_key('account') $$;

-- First statement of every executor transaction: proves the token and holds the claim row against a takeover
-- until the transaction ends (FOR KEY SHARE lets renewals pass). Raises OU001 when the epoch is stale.
create function app.enter(p_token text) returns text
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    part text[] := string_to_array(p_token, '|');
    proven text;
  begin
    perform set_config('app.claim_token', p_token, true);
    proven := app.proven_key(part[1]);
    if proven is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from outrider.claim where kind = part[1] and key = part[2] and epoch = part[3]::bigint for key share;
    if not found then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    return proven;
  end $$;

-- Takes a free or own claim with a new epoch. For the operator side only (claim broker).
create function app.take_claim(p_kind text, p_key text, p_holder text, p_ttl_seconds int default 30)
  returns table (epoch bigint, token text, expires_at timestamptz)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    taken record;
  begin
    insert into outrider.claim (kind, key) values (p_kind, p_key) on conflict do nothing;
    perform 1 from outrider.claim c where c.kind = p_kind and c.key = p_key for update;
    update outrider.claim c
      set epoch = c.epoch + 1, holder = p_holder, expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds),
          drain_epoch = null, idle_epoch = null, idle_since = null
      where c.kind = p_kind and c.key = p_key
        and (c.holder is null or c.holder = p_holder or c.expires_at is null or c.expires_at < clock_timestamp())
      returning c.epoch, c.expires_at into taken;
    if not found then return; end if;
    return query select taken.epoch, app.mint_token(p_kind, p_key, taken.epoch), taken.expires_at;
  end $$;

-- Renews under the own token; returns a fresh token, or no row when the claim is lost. drain tells that the operator wants it back.
create function app.renew_claim(p_token text, p_ttl_seconds int default 30)
  returns table (token text, expires_at timestamptz, drain boolean)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    part text[] := string_to_array(p_token, '|');
    renewed record;
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return; end if;
    update outrider.claim c set expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
      where c.kind = part[1] and c.key = part[2] and c.epoch = part[3]::bigint
      returning c.expires_at, c.drain_epoch = c.epoch as drain into renewed;
    if not found then return; end if;
    return query select app.mint_token(part[1], part[2], part[3]::bigint), renewed.expires_at, coalesce(renewed.drain, false);
  end $$;

-- Gives the claim back at once (drain, sleep).
create function app.release_claim(p_token text) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare part text[] := string_to_array(p_token, '|');
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return false; end if;
    update outrider.claim set holder = null, expires_at = null
      where kind = part[1] and key = part[2] and epoch = part[3]::bigint;
    return found;
  end $$;

-- Reports that the holder of this epoch has nothing due; the operator deletes its pod by compare-and-set on it.
create function app.report_idle(p_token text, p_idle boolean) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare part text[] := string_to_array(p_token, '|');
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return false; end if;
    update outrider.claim set
      idle_epoch = case when p_idle then epoch end,
      idle_since = case when p_idle then coalesce(idle_since, clock_timestamp()) end
      where kind = part[1] and key = part[2] and epoch = part[3]::bigint;
    return found;
  end $$;

create table outrider.app_user (
  id uuid primary key,
  email text not null,
  name text not null default '',
  platform_admin boolean not null default false,
  generation bigint not null default 1,
  created_at bigint not null
);
create unique index app_user_email on outrider.app_user (lower(email));

create table outrider.workspace (
  id text primary key,
  uid text not null,
  generation bigint not null default 0,
  resource_version text,
  name text not null,
  owner_user_id uuid references outrider.app_user (id),
  agency_id text,
  plan text not null default 'standard',
  timezone text not null default 'UTC',
  operating_mode text not null default 'Running' check (operating_mode in ('Running', 'Suspended')),
  business_hours jsonb,
  executor jsonb not null default '{}',
  limits jsonb not null default '{}',
  settings jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create table outrider.member (
  id uuid primary key,
  workspace_id text not null references outrider.workspace (id),
  user_id uuid not null references outrider.app_user (id),
  role text not null check (role in ('owner', 'member')),
  joined_at bigint not null,
  last_seen_at bigint,
  unique (workspace_id, user_id)
);

-- Only the SHA-256 of a key is kept. generation rises on every change, so that caches notice at the next call.
create table outrider.api_key (
  id uuid primary key,
  key_hash bytea not null unique,
  key_type text not null check (key_type in ('workspace', 'user')),
  workspace_id text references outrider.workspace (id),
  user_id uuid references outrider.app_user (id),
  name text not null,
  key_prefix text not null,
  scopes text[] not null,
  generation bigint not null default 1,
  created_by uuid,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  check ((key_type = 'workspace') = (workspace_id is not null))
);
create index api_key_workspace on outrider.api_key (workspace_id) where revoked_at is null;
create index api_key_user on outrider.api_key (user_id) where revoked_at is null;
