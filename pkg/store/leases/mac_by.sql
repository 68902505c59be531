-- HMAC-SHA256 of p_body by the padded claim secret, hex; one formula for who reads the pads apart (app.claim_mac) and
-- who reads them together with the claim (app.enter).
create or replace function app.mac_by(p_body text, p_inner_pad bytea, p_outer_pad bytea) returns text
  language sql stable
  as $$
    select encode(sha256(p_outer_pad || sha256(p_inner_pad || convert_to(p_body, 'UTF8'))), 'hex')
  $$;

grant execute on function app.mac_by(text, bytea, bytea) to outrider_definer;
