-- Gives the lease of p_token back at once, so that nobody waits until it expires (drain, sleep, end of the process).
-- False when it was lost before.
create or replace function app.release_claim(p_token text) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare part text[] := string_to_array(p_token, '|');
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return false; end if;
    update outrider.claim
    set holder = null, expires_at = null
    where kind = part[1] and key = part[2] and epoch = part[3]::bigint;
    return found;
  end $$;

alter function app.release_claim(text) owner to outrider_definer;
revoke execute on function app.release_claim(text) from public;
grant execute on function app.release_claim(text) to outrider_app, outrider_executor;
