-- Renews the lease of p_token for p_ttl_seconds of real time, of an executor for two minutes at most, whatever it
-- asks for: the lease of one that is gone ends. Returns one row with a fresh token, or none when the lease is lost.
-- drain: the operator wants it back, so that its holder finishes and releases it.
create or replace function app.renew_claim(p_token text, p_ttl_seconds int DEFAULT 30)
  returns table (token text, expires_at timestamptz, drain boolean)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    part text[] := string_to_array(p_token, '|');
    renewed record;
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return; end if;
    if session_user = 'outrider_executor' then p_ttl_seconds := least(p_ttl_seconds, 120); end if;
    update outrider.claim c
    set expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
    where c.kind = part[1] and c.key = part[2] and c.epoch = part[3]::bigint
    returning c.expires_at, c.drain_epoch = c.epoch as drain
    into renewed;
    if not found then return; end if;
    return query
      select
        app.mint_token(part[1], part[2], part[3]::bigint),
        renewed.expires_at,
        coalesce(renewed.drain, false);
  end $$;

alter function app.renew_claim(text, int) owner to outrider_definer;
revoke execute on function app.renew_claim(text, int) from public;
grant execute on function app.renew_claim(text, int) to outrider_app, outrider_executor;
