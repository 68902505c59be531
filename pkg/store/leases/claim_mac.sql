-- Returns the MAC of a token's body (`kind|key|epoch|expiry`), hex. A caller that may execute it can mint tokens, so
-- that only the definer's functions may.
create or replace function app.claim_mac(body text) returns text
  language sql stable security definer
  set search_path = app, pg_catalog
  as $$ select app.mac_by(body, s.inner_pad, s.outer_pad) from app.claim_secret s $$;

alter function app.claim_mac(text) owner to outrider_definer;
revoke execute on function app.claim_mac(text) from public;
