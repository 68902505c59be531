-- Returns a token of this lease: `kind|key|epoch|expiry|mac`, expiry in epoch seconds of real time, an hour from now.
-- A token is worth no more than the lease's row, which holds for p_ttl_seconds of its last renewal and for its epoch.
create or replace function app.mint_token(p_kind text, p_key text, p_epoch bigint) returns text
  language sql security definer
  set search_path = app, pg_catalog
  as $$
    select b.body || '|' || app.claim_mac(b.body)
    from (
      select p_kind || '|' || p_key || '|' || p_epoch || '|'
        || (extract(epoch from clock_timestamp())::bigint + 3600) as body
    ) b
  $$;

alter function app.mint_token(text, text, bigint) owner to outrider_definer;
revoke execute on function app.mint_token(text, text, bigint) from public;
