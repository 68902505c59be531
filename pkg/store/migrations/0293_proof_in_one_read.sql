-- The claim is proven once for each policy of a statement, tens of times in a batch: by one read instead of three functions.
set local search_path = outrider, app, public;

create or replace function app.proven_key(p_kind text) returns text
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
    select c.key into found_key from app.claim_secret s, outrider.claim c
      where part[5] = encode(sha256(s.outer_pad || sha256(s.inner_pad || convert_to(part[1] || '|' || part[2] || '|' || part[3] || '|' || part[4], 'UTF8'))), 'hex')
        and part[4]::bigint >= extract(epoch from clock_timestamp())
        and c.kind = p_kind and c.key = part[2] and c.epoch = part[3]::bigint and c.expires_at > clock_timestamp();
    return found_key;
  end $$;
