-- Holds the runs of a person to whom somebody writes by hand, so that human and robot never talk at once: in every
-- workspace of the account, until a person resumes them. What is claimed for them is refused at its dispatch.
-- `p_persons`: who are one human to the account (app.same_at). `p_at`: when the human wrote; runs that began later, or
-- that a person resumed after it, go on. `p_at`, `p_now`: epoch ms, product time. `p_actor`: who wrote, as the history
-- of `p_workspace` tells it (null: of none); others read that a human did. Returns how many runs it holds; 0 where the
-- caller may not use the account. Locks: the runs, by id.
create or replace function app.hold_for_human(
  p_now bigint, p_account text, p_persons uuid[], p_at bigint, p_workspace text, p_actor text
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    held int;
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    perform 1
    from run
    where id in (
      select r.id
      from unnest(p_persons) as x (id)
      cross join lateral app.same_at(p_account, x.id) as s (id)
      join run r on r.person_id = s.id
      where r.ended_at is null
        and r.state <> 'paused'
        and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
    )
    order by id for no key update;
    with held_runs as (
      update run r
      set
        state = 'paused',
        wait_reason = null,
        due_at = null,
        facts = r.facts - 'blockedSince' || jsonb_build_object('humanAt', p_at),
        version = r.version + 1
      from (
        select distinct s.id
        from unnest(p_persons) as x (id)
        cross join lateral app.same_at(p_account, x.id) as s (id)
      ) h
      where r.person_id = h.id
        and r.ended_at is null
        and r.state <> 'paused'
        and coalesce((r.facts ->> 'sequenceFrom')::bigint, r.started_at) <= p_at
        and coalesce((r.facts ->> 'humanAt')::bigint, 0) < p_at
        and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      returning r.workspace_id, r.id, r.node_id
    ),
    told as (
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select
        h.workspace_id,
        h.id,
        p_now,
        'run.step_done',
        nullif(h.node_id, ''),
        case when h.workspace_id = p_workspace then p_actor else 'human' end,
        'a person wrote to the lead; resume it with svc_control_workflow_runs',
        jsonb_build_object('action', 'pause', 'why', 'human_message', 'networkAccountId', p_account)
      from held_runs h
      returning 1
    )
    select count(*)::int
    into held
    from told;
    return held;
  end $$;

alter function app.hold_for_human(bigint, text, uuid[], bigint, text, text) owner to outrider_definer;
revoke execute on function app.hold_for_human(bigint, text, uuid[], bigint, text, text) from public;
grant execute on function app.hold_for_human(bigint, text, uuid[], bigint, text, text)
  to outrider_app, outrider_executor;
