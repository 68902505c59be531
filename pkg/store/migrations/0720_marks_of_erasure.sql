-- Erasure, deletion of workspaces and retention follow one list of marks (pkg/store/erasure/column-marks.ts), and
-- what they did is certified.

-- Whom or what an erasure is about; never stored. Of a workspace's retention some are empty.
create type app.erasure_subject as (
  -- the workspace to which the erasure is narrowed; null: all
  workspace_id text,
  leads uuid[],
  persons uuid[],
  runs uuid[],
  sends uuid[],
  conversations uuid[],
  -- normalised public ids of profiles
  profiles text[],
  -- addresses, as they are written somewhere, in lower case
  mails text[],
  -- accounts of a deleted workspace that no other one is linked to
  accounts text[],
  -- users who are in no other workspace than the deleted one
  users uuid[],
  -- regular expression of the names by which texts know the person; null: texts are not searched
  pattern text,
  -- the same with ids of the person's records, by which kept answers and notifications know them
  wide_pattern text
);

-- The key under which certificates are signed (Ed25519): one row, made at the first certificate. Functions alone read
-- it, and only for the platform.
create table app.signing_key (
  only_row boolean primary key default true check (only_row),
  -- PKCS #8 and SPKI, DER
  private_key bytea not null,
  public_key bytea not null,
  made_at timestamptz not null default now()
);

alter table app.signing_key enable row level security;
alter table app.signing_key force row level security;
create policy definer_all on app.signing_key to outrider_definer using (true) with check (true);
create policy owner_all on app.signing_key to outrider_owner using (true) with check (true);
grant select, insert on app.signing_key to outrider_definer;

-- What was erased, signed; it outlives the person's rows and the workspace. Written by app.keep_certificate; stays
-- for good.
create table outrider.certificate (
  id uuid primary key,
  kind text not null check (kind in ('erasure', 'workspace_deletion')),
  -- id of the workspace; '' for a person, who is known by the tombstones that name the certificate
  subject text not null default '',
  -- what was signed, byte by byte
  body text not null,
  -- base64 (Ed25519)
  signature text not null,
  -- epoch ms UTC, product time
  made_at bigint not null
);

create unique index certificate_workspace on outrider.certificate (subject) where kind = 'workspace_deletion';

alter table outrider.certificate enable row level security;
alter table outrider.certificate force row level security;
create policy app_platform on outrider.certificate for select to outrider_app using ((select app.is_platform()));
create policy definer_all on outrider.certificate to outrider_definer using (true) with check (true);
create policy owner_all on outrider.certificate to outrider_owner using (true) with check (true);
grant select on outrider.certificate to outrider_app;
grant select, insert on outrider.certificate to outrider_definer;

-- workspace_id '': a person whom the platform erased, for all workspaces.
alter table outrider.erasure_tombstone add column certificate_id uuid;

-- When the content of a workspace goes that a platform admin deletes (epoch ms, product time); null: nobody does
alter table outrider.workspace add column erase_at bigint;
-- {reason, by, at, operatingMode}: who deletes it, and how it ran before
alter table outrider.workspace add column deletion jsonb;
create index workspace_erase_at on outrider.workspace (erase_at) where erase_at is not null and purged_at is null;

-- An erasure works in every marked table.
grant update on outrider.feedback, outrider.lead_match_key, outrider.playbook to outrider_definer;
