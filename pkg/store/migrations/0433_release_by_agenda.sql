-- Who is parked is known by the agenda: the end of a freeze read all runs of all workspaces to find whose executors to wake.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.wake_on_release()'::regprocedure);
  after text;
begin
  after := replace(before, '(select array_agg(distinct r.workspace_id) from run r where r.due_at is null and r.wait_reason = ''send_freeze'' and r.ended_at is null)',
    '(select array_agg(w.id) from workspace w where exists (select 1 from agenda a where a.workspace_id = w.id and a.due_at = app.parked_at()))');
  if after = before then raise exception 'app.wake_on_release does not read as expected'; end if;
  execute after;
end $$;
