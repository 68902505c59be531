-- Ends one hold if it lives and its time is over (real time), unless a node call that is not settled needs it.
-- Returns whether it did. p_now dates the entry (epoch ms UTC, product time). The caller holds the lock of the
-- balance and has asked for permission.
create or replace function app.expire_hold(p_hold uuid, p_now bigint) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare h record;
  begin
    update credit_hold c
    set state = 'expired'
    where c.id = p_hold
      and c.state = 'held'
      and c.expires_at <= clock_timestamp()
      and not exists (
        select 1
        from node_call n
        where n.workspace_id = c.workspace_id and n.credit_hold_id = c.id and n.state <> 'settled'
      )
    returning c.*
    into h;
    if not found then return false; end if;
    perform app.post_credits(
      h.workspace_id, 'expire', -h.amount, 'expire:' || h.id, p_now, h.id, h.action, h.tool, h.run_id,
      h.campaign_id, h.key_prefix, 'nobody settled the hold in time'
    );
    return true;
  end $$;

alter function app.expire_hold(uuid, bigint) owner to outrider_definer;
revoke execute on function app.expire_hold(uuid, bigint) from public;
