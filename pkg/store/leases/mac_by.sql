-- Returns the HMAC-SHA256 of p_body by the padded secret of leases, hex. app.claim_mac, which reads the pads apart,
-- and app.enter, which reads them together with the lease, share this formula.
create or replace function app.mac_by(p_body text, p_inner_pad bytea, p_outer_pad bytea) returns text
  language sql stable
  as $$
    select encode(sha256(p_outer_pad || sha256(p_inner_pad || convert_to(p_body, 'UTF8'))), 'hex')
  $$;

grant execute on function app.mac_by(text, bytea, bytea) to outrider_definer;
