-- Returns which of these failed sends may be settled now: those whose accounts no other transaction works on. A
-- failure gives units back, and for that would have to wait, on one of two connections, for a batch that claims
-- through the same account.
-- OU001: the lease is stale. Locks: the runs of `p_failed` and of `p_others` (which are settled with them) by id,
-- then the free rows of account_pacing, for which it does not wait.
create or replace function app.free_sends(p_failed uuid[], p_others uuid[]) returns setof uuid
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1
    from run
    where id in (
      select s.run_id
      from send s
      where s.id = any (p_failed || p_others) and (s.workspace_id = ws) is true
    )
    order by id for no key update;
    return query
      with k as materialized (
        select s.id, s.account_id
        from send s
        where s.id = any (p_failed) and (s.workspace_id = ws) is true
      ),
      free as materialized (
        select p.account_id
        from account_pacing p
        where p.account_id = any (array(select distinct k.account_id from k))
        order by p.account_id for update skip locked
      )
      select k.id
      from k
      where k.account_id in (select f.account_id from free f)
        or not exists (select 1 from account_pacing p where p.account_id = k.account_id);
  end $$;

alter function app.free_sends(uuid[], uuid[]) owner to outrider_definer;
revoke execute on function app.free_sends(uuid[], uuid[]) from public;
grant execute on function app.free_sends(uuid[], uuid[]) to outrider_executor;
