-- Autovacuum analyzed the runs, the agenda and the month of history every few seconds under load, a tenth of the server's work: each move of
-- a run counted as a change of its table, though moves change nothing that a plan depends on. Now when as many rows changed as there are.
alter table outrider.run set (autovacuum_analyze_scale_factor = 1);
alter table outrider.agenda set (autovacuum_analyze_scale_factor = 1);

do $$
declare
  month regclass;
  before text := pg_get_functiondef('app.open_event_month(bigint)'::regprocedure);
  after text := replace(before, 'autovacuum_analyze_scale_factor = 0.2', 'autovacuum_analyze_scale_factor = 1');
begin
  if after = before then raise exception 'app.open_event_month does not read as expected'; end if;
  execute after;
  for month in
    select i.inhrelid from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outrider.run_event'::regclass and c.relname ~ '^run_event_\d{4}_\d{2}$'
  loop
    execute format('alter table %s set (autovacuum_analyze_scale_factor = 1)', month);
  end loop;
end $$;
