-- HMAC-SHA256 pads of the secret that claim tokens are signed with; made with the database (pkg/store/migrations.ts). Only the definer reads them.
create table app.claim_secret (
  only_row boolean primary key default true check (only_row),
  -- the key with its padding, by XOR with 0x36 and 0x5c (RFC 2104)
  inner_pad bytea not null,
  outer_pad bytea not null
);

grant select on app.claim_secret to outrider_definer;
