-- Who is found connected has accepted no request of a campaign. Before, each of them stood in its funnel, in its rates and in the arm of a
-- split as somebody who accepted, beside requests that were never made: a rate could pass one.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_acceptance(bigint, text, uuid, text, bigint)'::regprocedure);
  after := replace(before, 'jsonb_build_object(''networkAccountId'', p_account) from run r where r.id = any (runs);',
    'jsonb_build_object(''networkAccountId'', p_account) from run r
      where r.id = any (runs) and exists (select 1 from send_key k join send s on s.id = k.send_id
        where k.key = ''r:'' || p_account || '':'' || p_person and k.workspace_id = r.workspace_id and s.state in (''dispatched'', ''unknown'', ''confirmed''));');
  if after = before then raise exception 'app.record_acceptance does not read as expected'; end if;
  execute after;
end $$;
