-- Keeps that the holder of p_token has nothing due (p_idle), since when (real time), or that it has again. The
-- operator ends its pod by compare-and-set on this epoch. False when the lease is lost.
create or replace function app.report_idle(p_token text, p_idle boolean) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare part text[] := string_to_array(p_token, '|');
  begin
    perform set_config('app.claim_token', p_token, true);
    if app.proven_key(part[1]) is null then return false; end if;
    update outrider.claim
    set
      idle_epoch = case when p_idle then epoch end,
      idle_since = case when p_idle then coalesce(idle_since, clock_timestamp()) end
    where kind = part[1] and key = part[2] and epoch = part[3]::bigint;
    return found;
  end $$;

alter function app.report_idle(text, boolean) owner to outrider_definer;
revoke execute on function app.report_idle(text, boolean) from public;
grant execute on function app.report_idle(text, boolean) to outrider_app, outrider_executor;
