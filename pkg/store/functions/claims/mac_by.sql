-- HMAC-SHA256 by the pads of the claim secret; one formula for who reads them apart (claim_mac) and who reads them with the claim (enter).
create or replace function app.mac_by(p_body text, p_inner_pad bytea, p_outer_pad bytea) returns text
  language sql stable
  as $$ select encode(sha256(p_outer_pad || sha256(p_inner_pad || convert_to(p_body, 'UTF8'))), 'hex') $$;
grant execute on function app.mac_by(text, bytea, bytea) to outrider_definer;
