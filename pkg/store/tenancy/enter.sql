-- Begins every executor transaction: proves the token (`kind|key|epoch|expiry|mac`, app.mint_token) and holds the
-- lease's row against a takeover until the transaction ends (FOR KEY SHARE lets renewals pass); what asks for the
-- lease later finds it proven (app.proven_key). Returns the lease's key: a workspace or an account. Error OU001: the
-- lease is stale, and the transaction may do nothing.
create or replace function app.enter(p_token text) returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    part text[] := string_to_array(p_token, '|');
    proven text;
    proof bigint;
  begin
    select c.key
    into proven
    from app.claim_secret s, outrider.claim c
    where array_length(part, 1) = 5
      and part[5] = app.mac_by(array_to_string(part[1:4], '|'), s.inner_pad, s.outer_pad)
      and part[4]::bigint >= extract(epoch from clock_timestamp())
      and c.kind = part[1]
      and c.key = part[2]
      and c.epoch = part[3]::bigint
      and c.expires_at > clock_timestamp()
    for key share of c;
    if proven is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- This comes after the lock, which gives the transaction its number.
    proof := setval('app.claim_proof', app.proof_of(p_token));
    p_token := set_config('app.entered', 'on', true) || set_config('app.claim_token', p_token, true);
    return proven;
  end $$;

alter function app.enter(text) owner to outrider_definer;
revoke execute on function app.enter(text) from public;
grant execute on function app.enter(text) to outrider_app, outrider_executor;
