-- Returns the key of the current, unexpired lease of p_kind that the transaction's token (`app.claim_token`) proves,
-- else null. A transaction that entered has proven the lease and holds it against a takeover until it ends: then this
-- compares the session's own proof and reads nothing. An executor's login can set token and `app.entered` itself, but
-- neither the proof nor a MAC.
create or replace function app.proven_key(p_kind text) returns text
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    token text := current_setting('app.claim_token', true);
    part text[];
    found_key text;
  begin
    if token is null or token = '' or split_part(token, '|', 1) <> p_kind then return null; end if;
    if current_setting('app.entered', true) = 'on' then
      if currval('app.claim_proof') = app.proof_of(token) then return split_part(token, '|', 2); end if;
    end if;
    part := string_to_array(token, '|');
    if array_length(part, 1) is distinct from 5 then return null; end if;
    if part[5] <> app.claim_mac(array_to_string(part[1:4], '|')) then return null; end if;
    if part[4]::bigint < extract(epoch from clock_timestamp()) then return null; end if;
    select c.key
    into found_key
    from outrider.claim c
    where c.kind = p_kind
      and c.key = part[2]
      and c.epoch = part[3]::bigint
      and c.expires_at > clock_timestamp();
    return found_key;
  end $$;

alter function app.proven_key(text) owner to outrider_definer;
revoke execute on function app.proven_key(text) from public;
grant execute on function app.proven_key(text) to outrider_app, outrider_executor;
