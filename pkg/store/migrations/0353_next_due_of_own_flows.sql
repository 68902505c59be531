-- What comes due next asked of every workflow of every workspace whether it is stopped, before it looked which of them have sources at
-- all: with nine small neighbours a seventh of their work in the database, and growing with the installation. The sources first, then
-- their flows, then what stops these: offset 0 holds the planner to it, who knows nothing of the tables' sizes.
do $$
declare
  before text := pg_get_functiondef('app.next_due(text)'::regprocedure);
  after text := replace(before, '(select min(s.next_at) from source_feed s join workflow w on w.id = s.workflow_id
       where s.workspace_id = p_workspace and app.flow_stop(p_workspace, w.campaign_id, w.id) is null)',
      '(select min(f.next_at) from (select s.next_at, w.campaign_id, w.id from source_feed s
          cross join lateral (select x.campaign_id, x.id from workflow x where x.id = s.workflow_id offset 0) w
          where s.workspace_id = p_workspace and s.next_at is not null offset 0) f
        where app.flow_stop(p_workspace, f.campaign_id, f.id) is null)');
begin
  if after = before then raise exception 'app.next_due does not read as expected'; end if;
  execute after;
end $$;
