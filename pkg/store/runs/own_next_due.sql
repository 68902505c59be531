-- Returns when work of the lease's workspace is due next (epoch ms, product time), as this transaction leaves it;
-- null: nothing at all, or no lease.
create or replace function app.own_next_due() returns bigint
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.next_due(app.workspace()) $$;

alter function app.own_next_due() owner to outrider_definer;
revoke execute on function app.own_next_due() from public;
grant execute on function app.own_next_due() to outrider_executor;
