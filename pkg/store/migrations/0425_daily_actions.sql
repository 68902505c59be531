-- What a workspace may do with an account and day at most (spec.limits.dailyActions) binds its claims and its promises: it was kept, shown,
-- and asked by nobody.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.open_budgets(text, bigint, text[], text[])'::regprocedure);
  -- The limits of the one workspace are read once; an action without one is not bound by null.
  after := replace(before, 'case when r.week >= 0 then r.week - app.sum_of(r.rolled) end)),',
    'case when r.week >= 0 then r.week - app.sum_of(r.rolled) end,
        ((select w.limits -> ''dailyActions'' from workspace w where w.id = p_workspace) ->> r.action)::int - coalesce((r.theirs ->> p_workspace)::int, 0))),');
  if after = before then raise exception 'app.open_budgets does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.plan_state(bigint, text[], uuid[])'::regprocedure);
  after := replace(before, '''mine'', l.workspace_id = ws, ', '''mine'', l.workspace_id = ws,
            ''most'', case when l.workspace_id = ws then coalesce((select w.limits -> ''dailyActions'' from workspace w where w.id = ws), ''{}'') else ''{}'' end, ');
  if after = before then raise exception 'app.plan_state does not read as expected'; end if;
  execute after;
end $$;
