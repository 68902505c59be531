-- Marks a workflow deleted, so that it acts no more, and ends up to p_most of its live runs as stopped; the trigger
-- app.on_runs_ended does what that means for sends, reviews and contact claims. Send keys, contact log and used
-- budgets stay: the proof outlives the object.
-- p_now: epoch ms UTC, product time; p_reason: for people. Returns how many live runs it found; the caller calls
-- again until that is less than p_most. 0 where the caller may not use its workspace. Locks: runs by id, as executors
-- do.
create or replace function app.tombstone_workflow(p_workflow text, p_now bigint, p_reason text, p_most int)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    owner_id text;
    live uuid[];
    stopped uuid[];
  begin
    select w.workspace_id into owner_id from workflow w where w.id = p_workflow;
    if owner_id is null
      or not (app.is_platform() or coalesce(owner_id = any (app.workspaces()), false))
    then
      return 0;
    end if;
    update workflow
    set deleted_at = p_now, deleted_enabled = enabled, enabled = false, updated_at = p_now
    where id = p_workflow and deleted_at is null;
    live := array(
      select r.id
      from run r
      where r.workflow_id = p_workflow and r.workspace_id = owner_id and r.ended_at is null
      limit p_most
    );
    -- Executors lock them in this order.
    perform 1 from run r where r.id = any (live) order by r.id for no key update;
    with ended as (
      update run
      set
        state = 'stopped',
        due_at = null,
        wait_reason = null,
        ended_at = p_now,
        end_reason = p_reason,
        -- So it comes back (app.revive_runs): nobody is written to whom a person had paused.
        facts = case
          when state in ('paused', 'replied')
            then facts || jsonb_build_object('deletedFrom', jsonb_build_object('state', state, 'dueAt', due_at))
          else facts
        end,
        version = version + 1
      where id = any (live) and ended_at is null
      returning id
    )
    select coalesce(array_agg(id order by id), '{}')
    into stopped
    from ended;
    insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
    select
      owner_id,
      id,
      p_now,
      'run.completed',
      'system',
      p_reason,
      jsonb_build_object('state', 'stopped')
    from unnest(stopped) as id;
    return cardinality(live);
  end $$;

alter function app.tombstone_workflow(text, bigint, text, int) owner to outrider_definer;
revoke execute on function app.tombstone_workflow(text, bigint, text, int) from public;
grant execute on function app.tombstone_workflow(text, bigint, text, int) to outrider_app;
