-- kind|key|epoch|expiry(epoch seconds)|mac
create or replace function app.mint_token(p_kind text, p_key text, p_epoch bigint) returns text
  language sql security definer set search_path = app, pg_catalog
  as $$
    select b.body || '|' || app.claim_mac(b.body)
    from (select p_kind || '|' || p_key || '|' || p_epoch || '|' || (extract(epoch from clock_timestamp())::bigint + 3600) as body) b
  $$;
alter function app.mint_token(text, text, bigint) owner to outrider_definer;
revoke execute on function app.mint_token(text, text, bigint) from public;
