-- HMAC-SHA256 pads of the claim secret; only the definer role reads them.
create table app.claim_secret (
  only_row boolean primary key default true check (only_row),
  inner_pad bytea not null,
  outer_pad bytea not null
);

grant select on app.claim_secret to outrider_definer;
