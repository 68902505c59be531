-- The claim is proven once for each transaction, when it enters: before, it was proven anew for each policy and function, about four times a
-- transaction, more than a fifth of what the functions of small batches of effects cost.
set local search_path = outrider, app, public;

-- What this session has proven, and in which transaction: the value that a session's last setval left is its own, and nobody but the definer
-- may set it. What others leave in the sequence itself is never read.
create unlogged sequence app.claim_proof minvalue -9223372036854775808 maxvalue 9223372036854775807;
alter sequence app.claim_proof owner to outrider_definer;
revoke all on sequence app.claim_proof from public, outrider_app, outrider_executor;

-- Of a token and the transaction that it was proven in; null outside of one that wrote or locked something.
create function app.proof_of(p_token text) returns bigint language sql stable
  as $$ select ('x' || left(encode(sha256(convert_to(p_token || '|' || pg_current_xact_id_if_assigned()::text, 'UTF8')), 'hex'), 16))::bit(64)::bigint $$;
grant execute on function app.proof_of(text) to outrider_definer;

-- HMAC-SHA256 by the pads of the claim secret; one formula for who reads them apart (claim_mac) and who reads them with the claim (enter).
create function app.mac_by(p_body text, p_inner_pad bytea, p_outer_pad bytea) returns text language sql stable
  as $$ select encode(sha256(p_outer_pad || sha256(p_inner_pad || convert_to(p_body, 'UTF8'))), 'hex') $$;
grant execute on function app.mac_by(text, bytea, bytea) to outrider_definer;

create or replace function app.claim_mac(body text) returns text language sql stable security definer set search_path = app, pg_catalog
  as $$ select app.mac_by(body, s.inner_pad, s.outer_pad) from app.claim_secret s $$;

-- The key of the current, unexpired claim of this kind that the transaction's token proves, else null. Whoever entered holds the claim against a
-- takeover until the transaction ends, and has proven it.
create or replace function app.proven_key(p_kind text) returns text
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
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
    select c.key into found_key from outrider.claim c
      where c.kind = p_kind and c.key = part[2] and c.epoch = part[3]::bigint and c.expires_at > clock_timestamp();
    return found_key;
  end $$;

-- Called directly by whoever asks for the workspace: it tells nothing but what the caller's own token proves.
grant execute on function app.proven_key(text) to outrider_app, outrider_executor;
create or replace function app.workspace() returns text language sql stable as $$ select app.proven_key('workspace') $$;
create or replace function app.account() returns text language sql stable as $$ select app.proven_key('account') $$;

-- First statement of every executor transaction: proves the token and holds the claim row against a takeover
-- until the transaction ends (FOR KEY SHARE lets renewals pass). Raises OU001 when the epoch is stale.
create or replace function app.enter(p_token text) returns text
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  -- To plan it takes longer than to run it.
  set plan_cache_mode = force_generic_plan
  as $$
  declare
    part text[] := string_to_array(p_token, '|');
    proven text;
    proof bigint;
  begin
    select c.key into proven from app.claim_secret s, outrider.claim c
      where array_length(part, 1) = 5
        and part[5] = app.mac_by(array_to_string(part[1:4], '|'), s.inner_pad, s.outer_pad)
        and part[4]::bigint >= extract(epoch from clock_timestamp())
        and c.kind = part[1] and c.key = part[2] and c.epoch = part[3]::bigint and c.expires_at > clock_timestamp()
      for key share of c;
    if proven is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- After the lock, which gives the transaction its number.
    proof := setval('app.claim_proof', app.proof_of(p_token));
    p_token := set_config('app.entered', 'on', true) || set_config('app.claim_token', p_token, true);
    return proven;
  end $$;

-- For the rest of the transaction: statements find their rows by index. A batch of 2,000 keys looks to the planner like a reason to read the
-- whole table; it never is. Plans by index do not depend on the keys, so they are made once: making them takes longer than a small batch.
create function app.find_by_index() returns void language plpgsql volatile
  as $$
  declare
    set text;
  begin
    set := set_config('enable_hashjoin', 'off', true);
    set := set_config('enable_mergejoin', 'off', true);
    set := set_config('enable_seqscan', 'off', true);
    set := set_config('enable_sort', 'off', true);
    set := set_config('enable_bitmapscan', 'off', true);
    set := set_config('enable_material', 'off', true);
    set := set_config('plan_cache_mode', 'force_generic_plan', true);
  end $$;
grant execute on function app.find_by_index() to outrider_app, outrider_executor;
