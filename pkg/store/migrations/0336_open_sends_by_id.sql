-- Whoever goes from the few open sends, or from the sends of a call, to their rows finds them by id. The planner took the other way where
-- its statistics said that there are next to none of them: 400 settled sends were compared with 400 open ones (90 ms instead of 1),
-- and what is left was counted by reading all sends.
set local search_path = outrider, app, public;

alter function app.rest(bigint) set enable_hashjoin = off;
alter function app.rest(bigint) set enable_mergejoin = off;
alter function app.rest(bigint) set enable_seqscan = off;
alter function app.recover_sends(bigint, int) set enable_hashjoin = off;
alter function app.recover_sends(bigint, int) set enable_mergejoin = off;
alter function app.recover_sends(bigint, int) set enable_seqscan = off;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.keep_changed_sends()'::regprocedure);
  after := replace(before, 'delete from open_send o using new_rows n where n.settled_at is not null and o.workspace_id = n.workspace_id and o.send_id = n.id;',
    'delete from open_send where workspace_id = any (array(select distinct n.workspace_id from new_rows n where n.settled_at is not null))
        and send_id = any (array(select n.id from new_rows n where n.settled_at is not null));');
  if after = before then raise exception 'app.keep_changed_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'select s.run_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true)',
    'select s.run_id from send s where s.id = any (array(select q."sendId" from jsonb_to_recordset(p_results) as q ("sendId" uuid))) and (s.workspace_id = ws) is true)');
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.dispatch_sends(bigint, uuid[])'::regprocedure);
  after := replace(before, 'from unnest(p_sends) as x (id) join send s on s.id = x.id where (s.workspace_id = ws) is true', 'from send s where s.id = any (p_sends) and (s.workspace_id = ws) is true');
  if array_length(string_to_array(after, 'from send s where s.id = any (p_sends)'), 1) <> 3 then raise exception 'app.dispatch_sends does not read as expected'; end if;
  execute after;
end $$;
