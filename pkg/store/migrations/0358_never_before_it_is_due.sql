-- What was made ready a moment before it is due and then undone is due when it was. Whoever took over saw to that; but who took over from
-- there before that moment made the run due at once, as one whose send has its answer; and so did a dispatch that was refused. A request could
-- leave up to half a second before its time. A claim's time is never before its run's.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before, 's.settled_at is not null and s.id <> all (coalesce(stale, ''{}''));', 's.settled_at is not null and s.outcome is distinct from ''cancelled'';');
  if after = before then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.dispatch_sends(bigint, uuid[])'::regprocedure);
  after := replace(before,
    'update run set due_at = p_now where id in (select s.run_id from send s where s.id = any (gone)) and send_id = any (gone)
        and ended_at is null and state not in (''paused'', ''replied'');',
    'update run r set due_at = greatest(p_now, least(s.claimed_at, p_now + 1000)) from send s
        where s.id = any (gone) and r.id = s.run_id and r.send_id = s.id and r.ended_at is null and r.state not in (''paused'', ''replied'');');
  if after = before then raise exception 'app.dispatch_sends does not read as expected'; end if;
  execute after;
end $$;
