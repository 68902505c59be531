-- Keeps promises: [{account, heavy, at, freeAt, earliest: epoch ms UTC, product time, run, budgets}]; a run
-- or an action without one (`run`) holds one at a time. It leaves out accounts, runs and actions that are not of the
-- lease's workspace. OU001: the lease is stale. The caller has planned them under the locks of app.plan_state.
create or replace function app.promise_slots(p_slots jsonb) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into account_slot (
      account_id, heavy, at, free_at, earliest, workspace_id, run_id, budgets, company_key
    )
    select
      q.account,
      q.heavy,
      q.at,
      q."freeAt",
      q.earliest,
      ws,
      q.run,
      q.budgets,
      case when q.heavy then coalesce(d.company_key, '') else '' end
    from jsonb_to_recordset(p_slots) as q (
      account text, heavy boolean, at bigint, "freeAt" bigint, earliest bigint, run uuid, budgets text[]
    )
    join account_link l on l.account_id = q.account and l.workspace_id = ws
    left join run u on u.id = q.run and u.workspace_id = ws
    left join lead d on d.id = u.lead_id
    where u.id is not null
      or exists (select 1 from action a where a.id = q.run and a.workspace_id = ws and a.ended_at is null)
    on conflict (run_id)
      where not acted do update set account_id = excluded.account_id, heavy
        = excluded.heavy, at = excluded.at, free_at
        = excluded.free_at, earliest = excluded.earliest, budgets
          = excluded.budgets, company_key = excluded.company_key;
  end $$;

alter function app.promise_slots(jsonb) owner to outrider_definer;
revoke execute on function app.promise_slots(jsonb) from public;
grant execute on function app.promise_slots(jsonb) to outrider_executor;
