-- Plans that are made while tables are empty, and known to be, are kept while these grow. Then all ways to a row cost the same, and rest
-- compared each open send with all sends (0.6 s a look), relations_of each person with all relations (140 ms of a batch of 130 people after
-- some seconds) and each relation with all accounts. One row is asked for at a time, by what is in hand already.
set local search_path = outrider, app, public;

-- Planned anew each time, since only the size of the table tells which of its indexes to take.
create or replace function app.relations_of(p_persons uuid[]) returns table (account_id text, person_id uuid, state text, provider_id text, invitation_id text,
    requested_at bigint, connected_at bigint, chat_id text, chat_synced_at bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog set enable_sort = on set plan_cache_mode = force_custom_plan
  as $$
    select r.account_id, r.person_id, r.state, r.provider_id, r.invitation_id, r.requested_at, r.connected_at, c.external_id,
      greatest(c.synced_at, (select w.last_synced_at from account_wake w where w.account_id = r.account_id))
    from (select distinct p.id from unnest(p_persons) as p (id)) k
      -- One person at a time, whatever the planner knows of a table that grows by the minute.
      cross join lateral (select x.* from relation x where x.person_id = k.id
        and exists (select 1 from account_link l where l.account_id = x.account_id and l.workspace_id = (select app.workspace()) offset 0) offset 0) r
      left join lateral (select x.external_id, x.synced_at from conversation x where x.person_id = r.person_id and x.account_id = r.account_id
        order by x.last_message_at desc limit 1) c on true
  $$;

do $$
declare
  before text := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  after text := replace(before, 'from open_send o join send s on s.id = o.send_id where o.workspace_id = ws',
    'from open_send o cross join lateral (select x.state, x.maybe, x.lookup_after from send x where x.id = o.send_id offset 0) s where o.workspace_id = ws');
begin
  if after = before then raise exception 'app.rest does not read as expected'; end if;
  execute after;
end $$;
