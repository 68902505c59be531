-- Stops actions that have not left: what is claimed is undone, units and keys are back. Returns a row for each of
-- `p_actions` of the caller's workspaces: `stopped`, else where it stands (`state`: of its send, or of the action).
-- `p_now`: epoch ms, product time. Locks: actions by id, their sends, then what app.cancel_sends locks.
create or replace function app.stop_actions(p_actions uuid[], p_now bigint, p_reason text)
  returns table (action_id uuid, stopped boolean, state text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    claimed uuid[];
    ids uuid[];
    free uuid[];
  begin
    ids := array(
      select a.id
      from action a
      where a.id = any (p_actions) and app.may_use(a.workspace_id)
      order by a.id for no key update
    );
    perform 1
    from send s
    where s.id in (select a.send_id from action a where a.id = any (ids))
    order by s.id for update;
    free := array(
      select a.id
      from action a
      left join send s on s.id = a.send_id
      where a.id = any (ids)
        and a.ended_at is null
        and coalesce(s.state, 'failed') in ('claimed', 'failed')
    );
    claimed := array(
      select s.id
      from action a
      join send s on s.id = a.send_id
      where a.id = any (free) and s.state = 'claimed'
    );
    if cardinality(claimed) > 0 then perform app.cancel_sends(claimed, p_now); end if;
    update action a
    set state = 'stopped', ended_at = p_now, due_at = null, wait_reason = null, error = p_reason
    where a.id = any (free);
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
