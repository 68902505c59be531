-- Trigger: wakes a workspace at once (due_at 0) when something lets its parked runs go on: a workflow that is enabled
-- or has another graph, a campaign that is active, a workspace that is running, a hold or a freeze that was released,
-- an account that may act again, for all or for a workspace that had paused it for itself (app.release_account also
-- releases the runs that wait for it).
create or replace function app.wake_on_release() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    case tg_table_name
      when 'workflow' then
        if new.enabled
          and new.deleted_at is null
          and (not old.enabled or old.graph_version <> new.graph_version or old.deleted_at is not null)
        then
          perform app.wake_workspaces(array[new.workspace_id], 0, 'enabled');
        end if;
      when 'campaign' then
        if new.state = 'active' and old.state <> 'active' then
          perform app.wake_workspaces(array[new.workspace_id], 0, 'active');
        end if;
      when 'workspace' then
        if new.operating_mode = 'Running'
          and (old.operating_mode <> 'Running' or old.deleted_at is not null)
        then
          perform app.wake_workspaces(array[new.id], 0, 'running');
        end if;
      when 'hold' then perform app.wake_workspaces(array[old.workspace_id], 0, 'released');
      when 'send_freeze' then
        perform app.wake_workspaces(
          (
            select array_agg(w.id)
            from workspace w
            where exists (select 1 from agenda a where a.workspace_id = w.id and a.due_at = app.parked_at())
          ),
          0,
          'released'
        );
      when 'network_account' then
        if new.status = 'ok' and not new.paused and (old.status <> 'ok' or old.paused) then
          perform app.release_account(l.workspace_id, new.id)
          from (
            select k.workspace_id
            from account_link k
            where k.account_id = new.id and not k.paused
            order by 1
          ) l;
          perform app.wake_workspaces(
            (
              select array_agg(l.workspace_id)
              from account_link l
              where l.account_id = new.id and not l.paused
            ),
            0,
            'account_ok'
          );
        end if;
      when 'account_link' then
        perform app.release_account(new.workspace_id, new.account_id);
        perform app.wake_workspaces(array[new.workspace_id], 0, 'account_ok');
    end case;
    return null;
  end $$;

alter function app.wake_on_release() owner to outrider_definer;
revoke execute on function app.wake_on_release() from public;
grant execute on function app.wake_on_release() to outrider_owner;
