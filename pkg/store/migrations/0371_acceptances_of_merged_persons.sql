-- An acceptance is of whoever the person was merged into, as a reply is, and waits for a merge under way: before, one that came while
-- they were being merged reached no run.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_acceptance(bigint, text, uuid, text, bigint)'::regprocedure);
  after := regexp_replace(before, 'then return 0; end if;\n', 'then return 0; end if;
    p_person := coalesce(app.person_now(p_person), p_person);
');
  if after = before then raise exception 'app.record_acceptance does not read as expected'; end if;
  execute after;
end $$;
