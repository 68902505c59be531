-- Lets runs look again at once (due_at 0) that wait for a budget, pace or hours of the account, in all workspaces to
-- which it is linked, because its settings changed. It looks at 5,000 live runs at most, of all these workspaces
-- together; where there are more, it puts the account down for the executor of the workspace, which goes through them
-- in parts (app.walk_released). It does nothing where the caller may not use the account. Locks: runs by workspace
-- and id.
create or replace function app.wake_waiting(p_account text) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    ws text;
    may_look int := 5000;
    looked int;
    ids uuid[];
  begin
    if not app.may_use_account(p_account) then return; end if;
    for ws in
      select l.workspace_id from account_link l where l.account_id = p_account order by 1
    loop
      select count(*), array_agg(s.id) filter (where s.waits)
      into looked, ids
      from (
        select r.id, r.waits
        from workflow x
        cross join lateral (
          select r.id, app.waits_for_settings(r) and r.account_id = p_account as waits
          from run r
          where r.workflow_id = x.id and r.ended_at is null
        ) r
        where x.workspace_id = ws and x.deleted_at is null
        limit may_look + 1
      ) s;
      if looked > may_look then
        insert into release_walk as w (workspace_id, waiting, settings_waiting)
        values (ws, '{}', array[p_account])
        on conflict (workspace_id) do update set settings_waiting = w.settings_waiting || p_account
          where not (p_account = any (w.settings_waiting));
        continue;
      end if;
      may_look := may_look - looked;
      -- Executors lock them in this order.
      perform 1 from run r where r.id = any (ids) order by r.id for no key update;
      update run r
      set due_at = 0
      where r.id = any (ids) and app.waits_for_settings(r) and r.account_id = p_account;
    end loop;
    perform app.wake_workspaces(
      (select array_agg(l.workspace_id) from account_link l where l.account_id = p_account),
      0,
      'settings'
    );
  end $$;

alter function app.wake_waiting(text) owner to outrider_definer;
revoke execute on function app.wake_waiting(text) from public;
grant execute on function app.wake_waiting(text) to outrider_app, outrider_owner;
