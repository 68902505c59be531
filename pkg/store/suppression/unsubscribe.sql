-- Stops all that the workspace sends to a person (app.opt_out) for the address in a mail (RFC 8058): the person who
-- has its token may do so as often as they like. p_token_hash: SHA-256 of the token; p_now: epoch ms, product time.
-- False when nobody gave this token out, or outside of the platform.
create or replace function app.unsubscribe(p_now bigint, p_token_hash bytea) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare t record;
  begin
    if not app.is_platform() then return false; end if;
    update unsubscribe_token
    set used_at = coalesce(used_at, p_now)
    where token_hash = p_token_hash
    returning *
    into t;
    if not found then return false; end if;
    perform app.opt_out(p_now, t.workspace_id, t.person_id, 'unsubscribe', 'unsubscribe link');
    return true;
  end $$;

alter function app.unsubscribe(bigint, bytea) owner to outrider_definer;
revoke execute on function app.unsubscribe(bigint, bytea) from public;
grant execute on function app.unsubscribe(bigint, bytea) to outrider_app;
