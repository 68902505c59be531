-- Whoever is paused stays so until a person, or the time that was given, ends it. What a run had waited for before it was paused made it go on:
-- the end of a freeze, credits, an account that was well again. So did an executor that ended while a send of a paused run was claimed or under
-- way, and a person who settled a dead letter of one. A reply took the time at which the pause was to end, and who asked to be left alone while
-- paused had ended and was still called paused. A paused run waits for nothing else any more.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before, 'where s.id = any (stale) and r.id = s.run_id and r.send_id = s.id and r.ended_at is null;',
    'where s.id = any (stale) and r.id = s.run_id and r.send_id = s.id and r.ended_at is null and r.state <> ''paused'';');
  after := replace(after, 'and send_id = any (lost) and ended_at is null;', 'and send_id = any (lost) and ended_at is null and state <> ''paused'';');
  if (select count(*) from regexp_matches(after, 'state <> ''paused''', 'g')) <> 3 then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.resolve_send(uuid, text, bigint, text, text)'::regprocedure);
  after := replace(before, 'update run set due_at = p_now where id = s.run_id and send_id = p_send and ended_at is null;',
    'update run set due_at = p_now where id = s.run_id and send_id = p_send and ended_at is null and state <> ''paused'';');
  if after = before then raise exception 'app.resolve_send does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.wake_on_release()'::regprocedure);
  after := replace(before, 'wait_reason = ''account_unhealthy'' and ended_at is null and due_at is not null;',
    'wait_reason = ''account_unhealthy'' and ended_at is null and due_at is not null and state <> ''paused'';');
  if after = before then raise exception 'app.wake_on_release does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after := replace(before, 'when r.state = ''paused'' then r.state when p_class = ''unsubscribe'' then ''suppressed''',
    'when p_class = ''unsubscribe'' then ''suppressed'' when r.state = ''paused'' then r.state');
  after := replace(after, 'wait_reason = case when p_class = ''out_of_office'' then', 'wait_reason = case when r.state <> ''paused'' and p_class = ''out_of_office'' then');
  after := replace(after, 'due_at = case when r.state = ''paused'' or p_class = ''unsubscribe'' then null when p_class = ''out_of_office''',
    'due_at = case when p_class = ''unsubscribe'' then null when r.state = ''paused'' then r.due_at when p_class = ''out_of_office''');
  if (select count(*) from regexp_matches(after, 'then ''suppressed'' when r\.|r\.state <> ''paused'' and|then r\.due_at when', 'g')) <> 3 then
    raise exception 'app.record_reply does not read as expected';
  end if;
  execute after;

  -- Why a person rejected a draft is a text about the lead.
  before := pg_get_functiondef('app.erase_lead(text, uuid, bigint, boolean)'::regprocedure);
  after := replace(before, '''approved'', ''approvedSubjects'']', '''approved'', ''approvedSubjects'', ''redrafts'']');
  if (select count(*) from regexp_matches(after, 'redrafts', 'g')) <> 2 then raise exception 'app.erase_lead does not read as expected'; end if;
  execute after;
end $$;

update run set state = 'suppressed', due_at = null where state = 'paused' and ended_at is not null;
update run set wait_reason = null where state = 'paused' and wait_reason is not null;
