-- Returns when work of the lease's workspace is due next (epoch ms, product time), as this transaction leaves it, that
-- its executor can do: runs and sources, schedules of these kinds, these actions. Null: nothing at all, or no lease.
create or replace function app.own_work_due(p_kinds text[], p_actions text[]) returns bigint
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.work_due(app.workspace(), p_kinds, p_actions) $$;

alter function app.own_work_due(text[], text[]) owner to outrider_definer;
revoke execute on function app.own_work_due(text[], text[]) from public;
grant execute on function app.own_work_due(text[], text[]) to outrider_executor;
