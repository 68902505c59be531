-- Plans of these depend on how many leads are given. A plan for any number, which a connection keeps after its fifth call, takes
-- every batch for a handful and every table for as small as it was then: a large import that followed a few small ones compared
-- each lead with all others, until autovacuum analyzed the tables.
alter function app.make_companies(uuid[], bigint) set plan_cache_mode = force_custom_plan;
alter function app.link_companies(uuid[], bigint) set plan_cache_mode = force_custom_plan;
alter function app.complete_leads(uuid[], bigint) set plan_cache_mode = force_custom_plan;
alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) set plan_cache_mode = force_custom_plan;
-- Also when an executor calls it, whose transactions do without them.
alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) set enable_hashjoin = on;
alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) set enable_sort = on;
alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) set enable_material = on;
-- Goes from lead to lead: its small statements are planned once.
alter function app.resolve_persons(uuid[], bigint) set plan_cache_mode = auto;

-- A claim is found by its person. The index of open claims, which serves nothing but a part of the condition, looks as good while
-- the table is small, and is as long as the workspace has claims.
do $$
declare
  before text := pg_get_functiondef('app.enrol(text, text, bigint, uuid[], uuid[], text, text)'::regprocedure);
  after text;
begin
  after := replace(before, 'c.person_id = k.person_id and c.released_at is null and c.run_id', 'c.person_id = k.person_id and (c.released_at is null) is true and c.run_id');
  if after = before then raise exception 'app.enrol does not read as expected'; end if;
  execute after;
end $$;
