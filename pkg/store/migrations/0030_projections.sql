-- What projections of the three kinds need besides the rows: which incarnation of an object a row shows, and the
-- effects of a deletion on runs and sends.
set local search_path = outrider, app, public;

alter table outrider.workspace add column object_created_at bigint not null default 0;
alter table outrider.workspace add column reconcile jsonb not null default '{}';
alter table outrider.campaign add column object_created_at bigint not null default 0;
alter table outrider.workflow add column object_created_at bigint not null default 0;
-- Which nodes of a workflow sent already (identity of nodes over edits).
create index send_workflow on outrider.send (workflow_id, node_id);

-- A deleted workflow acts no more: live runs stop (what that means for sends, reviews and contact claims is the trigger
-- runs_ended). Send keys, contact log and used budgets stay: the proof outlives the object.
create function app.tombstone_workflow(p_workflow text, p_now bigint, p_reason text) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    owner_id text;
    stopped uuid[];
  begin
    select w.workspace_id into owner_id from workflow w where w.id = p_workflow;
    if owner_id is null or not (app.is_platform() or coalesce(owner_id = any (app.workspaces()), false)) then return 0; end if;
    update workflow set deleted_at = p_now, enabled = false, updated_at = p_now where id = p_workflow and deleted_at is null;
    with ended as (
      update run set state = 'stopped', due_at = null, wait_reason = null, ended_at = p_now, end_reason = p_reason, version = version + 1
        where workflow_id = p_workflow and workspace_id = owner_id and ended_at is null returning id
    )
    select coalesce(array_agg(id), '{}') into stopped from ended;
    insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
      select owner_id, id, p_now, 'run.completed', 'system', p_reason, jsonb_build_object('state', 'stopped') from unnest(stopped) as id;
    return coalesce(array_length(stopped, 1), 0);
  end $$;
alter function app.tombstone_workflow(text, bigint, text) owner to outrider_definer;
revoke execute on function app.tombstone_workflow(text, bigint, text) from public;
grant execute on function app.tombstone_workflow(text, bigint, text) to outrider_app;
