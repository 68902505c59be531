-- A push whose outcome nobody knows is looked up by the run that waits for it. When that run ended (stopped, replied, excluded), nobody asked
-- any more, and nobody was told: it stayed unknown for ever. After a day, as for every other push, it is a dead letter and a person decides;
-- its key stays, so that it is never made again.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.recover_calls(bigint)'::regprocedure);
  after text;
begin
  after := replace(before, '    return open;', $x$    for c in select n.* from node_call n where n.workspace_id = ws and n.state = 'unknown' and n.dispatched_at < p_now - 86400000
        -- Also another run of the lead may wait for it.
        and not exists (select 1 from run x where x.workspace_id = ws and x.lead_id = n.lead_id and x.send_id = n.id and x.ended_at is null) order by n.id for update loop
      open := open + 1;
      if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'its outcome did not become known'); end if;
      update node_call n set state = 'settled', outcome = 'failed', credit_hold_id = null, settled_at = p_now, dead_letter_at = p_now, dead_letter_state = 'open',
          error = left(concat_ws('; ', nullif(n.error, ''), 'its run ended before anybody learnt what it did'), 1000) where n.id = c.id;
    end loop;
    return open;$x$);
  if length(after) - length(before) < 500 or (select count(*) from regexp_matches(after, 'return open;', 'g')) <> 1 then
    raise exception 'app.recover_calls does not read as expected';
  end if;
  execute after;
end $$;
