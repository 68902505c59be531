-- Ends holds that nobody extended or settled in time (real time; catalog stateMachines.creditHold): their credits are
-- available again. What is left over is not available until another call ends it, so that nothing is spent twice. It
-- keeps the hold of a node call that is not settled: the call is settled, given back or recovered in the end, and
-- what it delivered is charged.
-- p_workspace: null for all, which is for the platform only. p_now dates the entries (epoch ms UTC, product time).
-- p_limit: holds at most, those first whose time was over first. Returns how many it ended, 0 where the caller may
-- not. Locks: balances by workspace, then holds.
create or replace function app.expire_holds(p_workspace text, p_now bigint, p_limit int DEFAULT 1000)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    w text;
    spaces text[];
    over uuid[];
    ended int := 0;
  begin
    if not (app.is_platform() or (p_workspace is not null and app.may_use(p_workspace))) then
      return 0;
    end if;
    -- Two statements, so that each has an index.
    if p_workspace is null then
      select
        array_agg(x.workspace_id order by x.workspace_id, x.expires_at),
        array_agg(x.id order by x.workspace_id, x.expires_at)
      into spaces, over
      from (
        select c.id, c.workspace_id, c.expires_at
        from credit_hold c
        where c.state = 'held'
          and c.expires_at <= clock_timestamp()
          and not exists (
            select 1
            from node_call n
            where n.workspace_id = c.workspace_id
              and n.credit_hold_id = c.id
              and n.state <> 'settled'
          )
        order by c.expires_at limit p_limit
      ) x;
    else
      select
        array_agg(x.workspace_id order by x.expires_at),
        array_agg(x.id order by x.expires_at)
      into spaces, over
      from (
        select c.id, c.workspace_id, c.expires_at
        from credit_hold c
        where c.workspace_id = p_workspace
          and c.state = 'held'
          and c.expires_at <= clock_timestamp()
          and not exists (
            select 1
            from node_call n
            where n.workspace_id = c.workspace_id
              and n.credit_hold_id = c.id
              and n.state <> 'settled'
          )
        order by c.expires_at limit p_limit
      ) x;
    end if;
    for i in 1 .. coalesce(cardinality(over), 0) loop
      if w is distinct from spaces[i] then
        w := spaces[i];
        perform app.lock_balance(w);
      end if;
      if app.expire_hold(over[i], p_now) then ended := ended + 1; end if;
    end loop;
    return ended;
  end $$;

alter function app.expire_holds(text, bigint, int) owner to outrider_definer;
revoke execute on function app.expire_holds(text, bigint, int) from public;
grant execute on function app.expire_holds(text, bigint, int) to outrider_app, outrider_executor;
