-- Takes a lease that is free, has expired or is p_holder's own, under the next epoch: tokens of the one before are
-- worth nothing from then on. The server's desk of leases calls it, which knows the pod that asks.
-- p_kind: workspace (executor) or account (account sync); p_key: its id; p_holder: the pod's uid; p_ttl_seconds: real
-- time until it expires. Returns one row, or none while another holds the lease.
create or replace function app.take_claim(p_kind text, p_key text, p_holder text, p_ttl_seconds int DEFAULT 30)
  returns table (epoch bigint, token text, expires_at timestamptz)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare taken record;
  begin
    insert into outrider.claim (kind, key) values (p_kind, p_key) on conflict do nothing;
    perform 1 from outrider.claim c where c.kind = p_kind and c.key = p_key for update;
    update outrider.claim c
    set
      epoch = c.epoch + 1,
      holder = p_holder,
      expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds),
      drain_epoch = null,
      idle_epoch = null,
      idle_since = null
    where c.kind = p_kind
      and c.key = p_key
      and (c.holder is null or c.holder = p_holder or c.expires_at is null or c.expires_at < clock_timestamp())
    returning c.epoch, c.expires_at
    into taken;
    if not found then return; end if;
    return query select taken.epoch, app.mint_token(p_kind, p_key, taken.epoch), taken.expires_at;
  end $$;

alter function app.take_claim(text, text, text, int) owner to outrider_definer;
revoke execute on function app.take_claim(text, text, text, int) from public;
grant execute on function app.take_claim(text, text, text, int) to outrider_app;
