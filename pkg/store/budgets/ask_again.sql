-- Makes those of `p_runs` (runs and actions) ask for another moment that still wait for a promise. It does not wait for
-- what others hold. Returns how many it moved. `p_now`: epoch ms UTC, product time. OU001: the lease is stale.
create or replace function app.ask_again(p_now bigint, p_runs uuid[]) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    moved int;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- It does not wait, since who works on a run locks it before its account.
    update run u
    set due_at = p_now
    from (
      select r.id
      from run r
      join account_slot s on s.run_id = r.id and not s.acted and s.at = r.due_at
      where r.id = any (p_runs) and r.workspace_id = ws and r.ended_at is null
      for no key update of r skip locked
    ) x
    where u.id = x.id;
    get diagnostics moved = row_count;
    update action a
    set due_at = p_now
    from (
      select x.id
      from action x
      join account_slot s on s.run_id = x.id and not s.acted and s.at = x.due_at
      where x.id = any (p_runs) and x.workspace_id = ws
      for no key update of x skip locked
    ) y
    where a.id = y.id;
    return moved + (select count(*)::int from action a where a.id = any (p_runs) and a.due_at = p_now);
  end $$;

alter function app.ask_again(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.ask_again(bigint, uuid[]) from public;
grant execute on function app.ask_again(bigint, uuid[]) to outrider_executor;
