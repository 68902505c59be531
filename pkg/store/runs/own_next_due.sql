-- As app.own_work_due, for executors of the version before, which know neither schedules nor actions: told that one is
-- due, they would look for it again and again.
create or replace function app.own_next_due() returns bigint
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.own_work_due('{}', '{}') $$;

alter function app.own_next_due() owner to outrider_definer;
revoke execute on function app.own_next_due() from public;
grant execute on function app.own_next_due() to outrider_executor;
