-- A freeze of the channel 'webhook' holds what leaves for systems outside, as the pages say. It held webhooks alone: pushes into CRMs
-- and into outreach platforms, which write to people, went on, and no other channel names them.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.call_stop(text, text, text, uuid, uuid, text, bigint)'::regprocedure);
  after := replace(before, '(s.channel = '''' or s.channel = p_outward)', 's.channel in ('''', ''webhook'')');
  if after = before then raise exception 'app.call_stop does not read as expected'; end if;
  execute after;
end $$;
