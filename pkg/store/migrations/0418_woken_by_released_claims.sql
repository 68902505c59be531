-- Who waits for another workflow to be done with the person goes on as soon as it is: before, they looked again after a day. A claim whose
-- person is left alone from then on wakes nobody. Who is being worked on at this moment is passed over, and looks again as before.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.on_runs_ended()'::regprocedure);
  after := replace(before, E'    sends uuid[];\n', E'    sends uuid[];\n    freed uuid[];\n    woken text[];\n');
  after := replace(after, E'    update contact_claim c set released_at = n.ended_at,', E'    with f as (\n    update contact_claim c set released_at = n.ended_at,');
  after := replace(after, E'and c.run_id = n.id and c.released_at is null;\n', E'and c.run_id = n.id and c.released_at is null
      returning c.person_id, coalesce(c.cool_until, 0) <= c.released_at as free)
    select array_agg(f.person_id) filter (where f.free) into freed from f;
    if freed is not null then
      with w as (
        update run r set due_at = (select max(n.ended_at) from new_rows n)
          where r.id in (select k.id from run k where k.person_id = any (freed) and k.ended_at is null and k.wait_reason = ''claim_held_elsewhere''
            and k.due_at is not null and k.state <> ''paused'' for no key update skip locked)
          returning r.workspace_id)
      select array_agg(distinct w.workspace_id) into woken from w;
      if woken is not null then perform app.wake_workspaces(woken, (select max(n.ended_at) from new_rows n), ''claim_released''); end if;
    end if;
');
  if (select count(*) from regexp_matches(after, 'woken text\[\];|with f as \(|into freed from f;', 'g')) <> 3
    then raise exception 'app.on_runs_ended does not read as expected'; end if;
  execute after;
end $$;
