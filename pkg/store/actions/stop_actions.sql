-- Stops actions that have not left (app.cancel_actions). Returns a row for each of `p_actions` of the caller's
-- workspaces: `stopped`, else where it stands (`state`: of its send, or of the action). `p_now`: epoch ms, product
-- time. Locks: as app.cancel_actions.
create or replace function app.stop_actions(p_actions uuid[], p_now bigint, p_reason text)
  returns table (action_id uuid, stopped boolean, state text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    ids uuid[];
    free uuid[];
  begin
    ids := array(select a.id from action a where a.id = any (p_actions) and app.may_use(a.workspace_id));
    free := app.cancel_actions(ids, p_now, p_reason);
    return query
      select
        a.id,
        a.id = any (free),
        case when a.ended_at is null then s.state else a.state end
      from action a
      left join send s on s.id = a.send_id
      where a.id = any (ids);
  end $$;

alter function app.stop_actions(uuid[], bigint, text) owner to outrider_definer;
revoke execute on function app.stop_actions(uuid[], bigint, text) from public;
grant execute on function app.stop_actions(uuid[], bigint, text) to outrider_app, outrider_executor;
