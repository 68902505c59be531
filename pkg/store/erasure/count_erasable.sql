-- Counts in a table what an erasure would take (app.erase_words). 0 unless the caller is the platform.
create or replace function app.count_erasable(p_subject app.erasure_subject, p_table text) returns int
  language sql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$ select case when app.is_platform() then app.erase_words(p_subject, p_table, true) else 0 end $$;

alter function app.count_erasable(app.erasure_subject, text) owner to outrider_definer;
revoke execute on function app.count_erasable(app.erasure_subject, text) from public;
grant execute on function app.count_erasable(app.erasure_subject, text) to outrider_app;
