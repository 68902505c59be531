-- Stops these actions where they have not left: what is claimed is undone, units and keys are back. Returns those that
-- it stopped. It asks for no right: only functions that have asked call it. `p_now`: epoch ms, product time. Locks:
-- actions by id, their sends, then what app.cancel_sends locks.
create or replace function app.cancel_actions(p_actions uuid[], p_now bigint, p_reason text) returns uuid[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    claimed uuid[];
    free uuid[];
  begin
    perform 1
    from action a
    where a.id = any (p_actions)
    order by a.id for no key update;
    perform 1
    from send s
    where s.id in (select a.send_id from action a where a.id = any (p_actions))
    order by s.id for update;
    free := array(
      select a.id
      from action a
      left join send s on s.id = a.send_id
      where a.id = any (p_actions)
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
    return free;
  end $$;

alter function app.cancel_actions(uuid[], bigint, text) owner to outrider_definer;
revoke execute on function app.cancel_actions(uuid[], bigint, text) from public;
