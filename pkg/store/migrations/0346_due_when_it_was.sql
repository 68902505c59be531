-- What was made ready before it was due (the engine looks ahead by less than a second) and was undone because its executor ended is
-- due when it was: whoever takes over within that moment must not do it early. A claim's time is never before its run's.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before,
    'update run set due_at = p_now where id in (select s.run_id from send s where s.id = any (stale)) and send_id = any (stale) and ended_at is null;',
    'update run r set due_at = greatest(p_now, least(s.claimed_at, p_now + 1000)) from send s
        where s.id = any (stale) and r.id = s.run_id and r.send_id = s.id and r.ended_at is null;');
  after := replace(after, 'and s.id = r.send_id and s.settled_at is not null;', 'and s.id = r.send_id and s.settled_at is not null and s.id <> all (coalesce(stale, ''{}''));');
  if (select count(*) from regexp_matches(after, 'claimed_at|coalesce\(stale', 'g')) <> 2 then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.recover_calls(bigint)'::regprocedure);
  after := replace(before, 'update run x set due_at = p_now where', 'update run x set due_at = greatest(p_now, least(c.claimed_at, p_now + 1000)) where');
  if after = before then raise exception 'app.recover_calls does not read as expected'; end if;
  execute after;
end $$;
