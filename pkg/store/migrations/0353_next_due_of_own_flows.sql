-- What comes due next asked of every workflow of every workspace whether it is stopped, before it looked which of them have sources at
-- all: with nine small neighbours a seventh of their work in the database, and growing with the installation.
create or replace function app.next_due(p_workspace text) returns bigint
  language sql volatile security definer set search_path = outrider, app, pg_catalog set enable_seqscan = off
  as $$
    select least((select a.due_at from agenda a where a.workspace_id = p_workspace and a.due_at < app.parked_at()
        and exists (select 1 from unnest(a.run_ids) as x (id) where (select r.due_at from run r where r.id = x.id) = a.due_at)
        order by a.due_at limit 1),
      -- The sources first, then their flows, then what stops these: offset 0 holds the planner to it, who knows nothing of the tables' sizes.
      (select min(f.next_at) from (select s.next_at, w.campaign_id, w.id from source_feed s
          cross join lateral (select x.campaign_id, x.id from workflow x where x.id = s.workflow_id offset 0) w
          where s.workspace_id = p_workspace and s.next_at is not null offset 0) f
        where app.flow_stop(p_workspace, f.campaign_id, f.id) is null))
  $$;
