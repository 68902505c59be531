-- A part of a deleted workflow's purge took 5,000 runs with all their history: half a million lines where each run has a hundred, longer than
-- a statement may take, and as the purge takes who was deleted first, everything behind it stayed as well. Now it takes 500 runs.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.purge_workflow(text, bigint, integer)'::regprocedure);
  after text;
begin
  after := replace(before, E'    runs uuid[];\n', E'    runs uuid[];\n    few int := least(p_most, 500);\n');
  after := replace(after, 'order by r.id limit p_most) x;', 'order by r.id limit few) x;');
  after := replace(after, 'if cardinality(runs) = p_most then', 'if cardinality(runs) = few then');
  after := replace(after, 'set purged_to = runs[p_most]', 'set purged_to = runs[few]');
  if (select count(*) from regexp_matches(after, 'few int|limit few|= few then|runs\[few\]', 'g')) <> 4 then raise exception 'app.purge_workflow does not read as expected'; end if;
  execute after;
end $$;
