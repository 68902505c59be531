-- A reply takes the drafts of its run back, approved ones too. The run kept what was approved, and sent it when it went on: to who is away once
-- they are back, and where answers do not end a sequence at once. The draft said `cancelled` and its text left. Now the run forgets it with the
-- draft, and people are asked anew, as when a workflow was disabled.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after text;
begin
  after := replace(before, 'update review_item set state = ''cancelled'', reason = ''the lead replied'', decided_at = p_now, decided_by = ''engine'' where run_id = any (runs) and state in (''pending'', ''approved'');',
    'with taken as (
        update review_item set state = ''cancelled'', reason = ''the lead replied'', decided_at = p_now, decided_by = ''engine''
          where run_id = any (runs) and state in (''pending'', ''approved'') returning run_id, send_node_id),
      back as (select t.run_id, array_agg(t.send_node_id) as nodes from taken t group by 1)
      update run r set facts = r.facts || jsonb_build_object(''approved'', (r.facts -> ''approved'') - b.nodes, ''approvedSubjects'', coalesce(r.facts -> ''approvedSubjects'', ''{}'') - b.nodes)
        from back b where r.id = b.run_id and r.facts ? ''approved'';');
  if after = before then raise exception 'app.record_reply does not read as expected'; end if;
  execute after;
end $$;
