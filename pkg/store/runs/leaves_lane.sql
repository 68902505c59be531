-- Says whether any of these parked runs is to leave the lane of its workflow: it may go on, since it is of a workflow
-- of p_flows and neither paused nor held by itself, or a freeze of its account holds it (p_frozen), for which there
-- are places of their own. Null: none of them is parked any more. For app.rest.
create or replace function app.leaves_lane(p_runs uuid[], p_flows text[], p_frozen text[]) returns boolean
  language sql stable
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select bool_or(
      (r.account_id = any (p_frozen)) is true
      or (
        r.workflow_id = any (p_flows)
        and r.state <> 'paused'
        and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text)
      )
    )
    from run r
    where r.id = any (p_runs)
      and app.agenda_at(r.due_at, r.wait_reason, r.ended_at) = app.parked_at()
  $$;

revoke execute on function app.leaves_lane(uuid[], text[], text[]) from public;
grant execute on function app.leaves_lane(uuid[], text[], text[]) to outrider_definer;
