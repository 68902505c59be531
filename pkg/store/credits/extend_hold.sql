-- Keeps the hold of a live job for p_ttl_seconds more (real time, from now). False when the hold lives no more or is
-- of another workspace: then nobody pays for what is being done.
create or replace function app.extend_hold(p_hold uuid, p_ttl_seconds int) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    update credit_hold c
    set expires_at = greatest(c.expires_at, clock_timestamp() + make_interval(secs => p_ttl_seconds))
    where c.id = p_hold
      and c.state = 'held'
      and c.expires_at > clock_timestamp()
      and app.may_use(c.workspace_id);
    return found;
  end $$;

alter function app.extend_hold(uuid, int) owner to outrider_definer;
revoke execute on function app.extend_hold(uuid, int) from public;
grant execute on function app.extend_hold(uuid, int) to outrider_app, outrider_executor;
