-- Returns the tables of which an erasure takes something (app.column_marks).
create or replace function app.marked_tables() returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$ select table_name from app.column_marks() $$;

alter function app.marked_tables() owner to outrider_definer;
revoke execute on function app.marked_tables() from public;
grant execute on function app.marked_tables() to outrider_app, outrider_owner;
