-- Who is out of office is left alone until they are back: their run goes on at its own time. Before, whoever found out about its send (a
-- takeover, a settlement, a dead letter and its decision) made it due, and a message that was found out later went on with follow-ups while
-- its person was away.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before, 'r.send_id = s.id and r.ended_at is null and r.state <> ''paused''', 'r.send_id = s.id and r.ended_at is null and r.state not in (''paused'', ''replied'')');
  after := replace(after, 'and send_id = any (lost) and ended_at is null and state <> ''paused''', 'and send_id = any (lost) and ended_at is null and state not in (''paused'', ''replied'')');
  if (select count(*) from regexp_matches(after, 'state not in \(''paused'', ''replied''\)', 'g')) <> 2 then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'r.send_id = u.id and r.ended_at is null and r.state <> ''paused''', 'r.send_id = u.id and r.ended_at is null and r.state not in (''paused'', ''replied'')');
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.resolve_send(uuid, text, bigint, text, text)'::regprocedure);
  after := replace(before, 'where id = s.run_id and send_id = p_send and ended_at is null and state <> ''paused'';',
    'where id = s.run_id and send_id = p_send and ended_at is null and state not in (''paused'', ''replied'');');
  if after = before then raise exception 'app.resolve_send does not read as expected'; end if;
  execute after;
end $$;
