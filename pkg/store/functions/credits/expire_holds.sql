-- Ends holds that nobody extended or settled in time (real time, catalog stateMachines.creditHold): their credits are available again. p_workspace:
-- null for all, platform only; p_now dates the entries (epoch ms UTC, product time); p_limit: holds by which workspaces are chosen, of a chosen one
-- all end. Returns how many ended, 0 where the caller may not.
-- The hold of a node call that is not settled stays: the call is settled, given back or recovered in the end, and what it delivered is charged.
-- Locks: balances by workspace, then holds.
create or replace function app.expire_holds(p_workspace text, p_now bigint, p_limit int DEFAULT 1000) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    w text;
    h record;
    ended int := 0;
  begin
    if not (app.is_platform() or (p_workspace is not null and app.may_use(p_workspace))) then return 0; end if;
    for w in select distinct x.workspace_id from (select c.workspace_id from credit_hold c where c.state = 'held' and c.expires_at <= clock_timestamp()
        and not exists (select 1 from node_call n where n.workspace_id = c.workspace_id and n.credit_hold_id = c.id and n.state <> 'settled')
        and (p_workspace is null or c.workspace_id = p_workspace) order by c.expires_at limit p_limit) x order by 1 loop
      perform app.lock_balance(w);
      for h in update credit_hold c set state = 'expired' where c.workspace_id = w and c.state = 'held' and c.expires_at <= clock_timestamp()
        and not exists (select 1 from node_call n where n.workspace_id = c.workspace_id and n.credit_hold_id = c.id and n.state <> 'settled') returning c.* loop
        perform app.post_credits(w, 'expire', -h.amount, 'expire:' || h.id, p_now, h.id,
          h.action, h.tool, h.run_id, h.campaign_id, h.key_prefix, 'nobody settled the hold in time');
        ended := ended + 1;
      end loop;
    end loop;
    return ended;
  end $$;

alter function app.expire_holds(text, bigint, int) owner to outrider_definer;
revoke execute on function app.expire_holds(text, bigint, int) from public;
grant execute on function app.expire_holds(text, bigint, int) to outrider_app, outrider_executor;
