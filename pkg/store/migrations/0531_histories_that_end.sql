-- The history of a run says how it ended, whoever ended it. It ended without a word where a colleague had replied, where the person had asked to
-- be left alone or had complained, and where an administrator gave an action up.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after := replace(before, '    update run r set state = ''stopped'', ended_at = p_now, end_reason = ''a colleague replied''',
    '    if p_class = ''unsubscribe'' then
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        select r.workspace_id, r.id, p_now, ''run.completed'', nullif(r.node_id, ''''), ''engine'', '''', ''{"state": "suppressed", "reason": "unsubscribed"}'' from run r where r.id = any (runs);
    end if;
    with ended as (update run r set state = ''stopped'', ended_at = p_now, end_reason = ''a colleague replied''');
  after := replace(after, 'not r.id = any (coalesce(runs, ''{}''));', 'not r.id = any (coalesce(runs, ''{}'')) returning r.workspace_id, r.id, r.node_id)
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        select e.workspace_id, e.id, p_now, ''run.completed'', nullif(e.node_id, ''''), ''engine'', '''', ''{"state": "stopped", "reason": "a colleague replied"}'' from ended e;');
  if (select count(*) from regexp_matches(after, 'with ended as \(update run r set|returning r\.workspace_id, r\.id, r\.node_id\)|"reason": "unsubscribed"', 'g')) <> 3 then
    raise exception 'app.record_reply does not read as expected';
  end if;
  execute after;

  before := pg_get_functiondef('app.opt_out(bigint, text, uuid, text, text)'::regprocedure);
  after := replace(before, '      where r.id = any (runs);
    return cardinality(runs);', '      where r.id = any (runs);
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select p_workspace, r.id, p_now, ''run.completed'', nullif(r.node_id, ''''), ''engine'', '''', jsonb_build_object(''state'', ''suppressed'', ''reason'', r.end_reason) from run r where r.id = any (runs);
    return cardinality(runs);');
  if after = before then raise exception 'app.opt_out does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.resolve_send(uuid, text, bigint, text, text)'::regprocedure);
  after := replace(before, 'update run set state = ''stopped'', ended_at = p_now, end_reason = ''dead_letter_discarded'', due_at = null where id = s.run_id and send_id = p_send and ended_at is null;',
    'with ended as (update run set state = ''stopped'', ended_at = p_now, end_reason = ''dead_letter_discarded'', due_at = null where id = s.run_id and send_id = p_send and ended_at is null
          returning workspace_id, id, node_id)
        insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
          select e.workspace_id, e.id, p_now, ''run.completed'', e.node_id, p_who, p_reason, ''{"state": "stopped", "reason": "dead_letter_discarded"}'' from ended e;');
  if after = before then raise exception 'app.resolve_send does not read as expected'; end if;
  execute after;
end $$;
