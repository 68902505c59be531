-- Sends of the workspace of the claim, found by their ids. Its rows are secured by their workspace, and there is an index that knows it: to a
-- planner that takes the table for small, reading all of a workspace's sends and picking some is as cheap, and every batch did, until
-- the table was analyzed. A condition that no index serves leaves it no choice.
set local search_path = outrider, app, public;

create function app.sends_by_id(p_ids uuid[]) returns setof outrider.send
  language sql stable security definer set search_path = outrider, app, pg_catalog set enable_seqscan = off set enable_bitmapscan = off
  as $$ select s.* from send s where s.id = any (p_ids) and (s.workspace_id = (select app.workspace())) is true $$;
alter function app.sends_by_id(uuid[]) owner to outrider_definer;
revoke all on function app.sends_by_id(uuid[]) from public;
grant execute on function app.sends_by_id(uuid[]) to outrider_executor;
