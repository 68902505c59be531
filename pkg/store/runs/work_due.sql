-- Returns when the workspace has work next (epoch ms, product time): a run that is due, a source of a workflow that
-- nothing stops whose next day begins, a schedule of these kinds, or an action without a run of these (null: all);
-- null: nothing at all. Parked runs have no time. It is exact: it passes over an entry whose runs have all gone
-- elsewhere. There are few of those, and the first run of another entry is enough.
create or replace function app.work_due(p_workspace text, p_kinds text[], p_actions text[]) returns bigint
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select least(
      (
        select a.due_at
        from agenda a
        where a.workspace_id = p_workspace
          and a.due_at < app.parked_at()
          and exists (
            select 1
            from unnest(a.run_ids) as x (id)
            where (select r.due_at from run r where r.id = x.id) = a.due_at
          )
        order by a.due_at limit 1
      ),
      (
        select min(f.next_at)
        from (
          select s.next_at, w.campaign_id, w.id
          from source_feed s
          cross join lateral (select x.campaign_id, x.id from workflow x where x.id = s.workflow_id offset 0) w
          where s.workspace_id = p_workspace and s.next_at is not null
          offset 0
        ) f
        where app.flow_stop(p_workspace, f.campaign_id, f.id) is null
      ),
      app.next_schedule(p_workspace, p_kinds),
      app.next_action(p_workspace, p_actions)
    )
  $$;

alter function app.work_due(text, text[], text[]) owner to outrider_definer;
revoke execute on function app.work_due(text, text[], text[]) from public;
