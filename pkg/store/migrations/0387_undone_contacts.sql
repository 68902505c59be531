-- A send that was proven not to have happened is no contact. Before, only its count was taken back: when somebody was reached last
-- stayed at the failed one, so that the next try waited for the days between two touches, others for the days until a new contact, and
-- the lead said that it was contacted.
set local search_path = outrider, app, public;

-- When the person was reached before the last touch; null: never, or nobody knows.
alter table contact_log add column before_at bigint;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.log_contacts(bigint, uuid[])'::regprocedure);
  after := replace(before, 'set last_at = excluded.last_at, touches', 'set before_at = g.last_at, last_at = excluded.last_at, touches');
  if after = before then raise exception 'app.log_contacts does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.undo_contacts(uuid[])'::regprocedure);
  after := replace(before, 'set touches = g.touches - x.n', 'set touches = g.touches - x.n,
        last_at = case when g.last_at = x.at then coalesce(g.before_at, g.last_at) else g.last_at end, before_at = case when g.last_at <> x.at then g.before_at end');
  after := replace(after, 'count(*)::int as n from send s', 'count(*)::int as n, max(s.dispatched_at) as at from send s');
  after := replace(after, '(select s.person_id, s.workflow_id from send s where s.id = any (p_sends));', '(select s.person_id, s.workflow_id from send s where s.id = any (p_sends));
    update lead_overlay o set last_contacted_at = (select max(g.last_at) from contact_log g where g.person_id = x.person_id and g.workspace_id = x.workspace_id)
      from (select s.workspace_id, s.lead_id, s.person_id, max(s.dispatched_at) as at from send s where s.id = any (p_sends) and app.is_heavy(s.action) group by 1, 2, 3) x
      where o.workspace_id = x.workspace_id and o.lead_id = x.lead_id and o.last_contacted_at = x.at;');
  if (select count(*) from regexp_matches(after, 'before_at end|as at from send|set last_contacted_at', 'g')) <> 4 then raise exception 'app.undo_contacts does not read as expected'; end if;
  execute after;
end $$;
