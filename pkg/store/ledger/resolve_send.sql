-- Carries out what a person decides about a send that is a dead letter (catalog: svc_admin_resolve_dead_letter):
-- lookup (look again, with all tries), mark_done, mark_not_done (it takes units, key and contact back), retry (the
-- run that failed with it goes back to its step, an action asks again), discard (its run or action ends). What was
-- settled meanwhile stays as it is. Returns the send's state, or not_found, forbidden (mark_done, mark_not_done and
-- retry are a platform admin's) or outcome_unknown (a retry before anybody knows). `p_now`: epoch ms UTC, product
-- time. `p_who` and `p_reason` stay as evidence. Locks: the run or action, the send, then the account.
create or replace function app.resolve_send(
  p_send uuid, p_resolution text, p_now bigint, p_who text, p_reason text
)
  returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare s record;
  begin
    -- The run comes before its send and the account, in the order of everybody who works on it.
    perform 1
    from run r
    where r.id = (
      select x.run_id
      from send x
      where x.id = p_send and x.dead_letter_at is not null and app.may_use(x.workspace_id)
    )
    for no key update;
    perform 1
    from action a
    where a.id = (
      select x.action_id
      from send x
      where x.id = p_send and x.dead_letter_at is not null and app.may_use(x.workspace_id)
    )
    for no key update;
    select * into s from send where id = p_send and dead_letter_at is not null for update;
    if not found or not app.may_use(s.workspace_id) then return 'not_found'; end if;
    if p_resolution in ('mark_done', 'mark_not_done', 'retry') and not app.is_platform() then
      return 'forbidden';
    end if;
    if p_resolution <> 'retry' and s.state <> 'unknown' then
      -- A send that did not leave because it was about somebody else (prepare-effect.ts): the letter is read.
      update send
      set dead_letter_state = case p_resolution when 'discard' then 'discarded' else 'resolved' end
      where id = p_send and state = 'failed' and dead_letter_state = 'open';
      return s.state;
    end if;
    update send
    set evidence = evidence || jsonb_build_array(
      jsonb_build_object('at', p_now, 'what', p_resolution, 'by', p_who, 'text', p_reason)
    )
    where id = p_send;
    if p_resolution = 'lookup' then
      update send
      set
        lookup_after = clock_timestamp(),
        lookups = 0,
        not_found = 0,
        dead_letter_state = 'open'
      where id = p_send;
    elsif p_resolution = 'mark_done' then
      update send
      set state = 'confirmed', settled_at = p_now, dead_letter_state = 'resolved'
      where id = p_send;
      perform app.keep_relations(p_now, array[p_send]);
    elsif p_resolution = 'mark_not_done' then
      update send
      set
        state = 'failed',
        outcome = 'failed',
        settled_at = p_now,
        dead_letter_state = 'resolved'
      where id = p_send;
      perform app.undo_contacts(array[p_send]);
    elsif p_resolution = 'retry' then
      if s.state = 'unknown' then return 'outcome_unknown'; end if;
      update send set dead_letter_state = 'resolved' where id = p_send and dead_letter_state = 'open';
      -- Its end took back what was approved and not sent, so that people are asked anew.
      update run
      set
        send_id = null,
        state = 'waiting',
        ended_at = null,
        end_reason = null,
        due_at = p_now,
        wait_reason = 'duration',
        facts = facts - array['approved', 'approvedSubjects']
      where id = s.run_id
        and node_id = s.node_id
        and s.state = 'failed'
        and run.state = 'failed'
        and not exists (
          select 1
          from run o
          where o.workflow_id = run.workflow_id and o.lead_id = run.lead_id and o.ended_at is null
        );
      update action
      set state = 'open', ended_at = null, due_at = p_now, wait_reason = null, tries = 0, failing_since = null
      where id = s.action_id and send_id = p_send and s.state = 'failed' and action.state = 'failed';
    elsif p_resolution = 'discard' then
      update send set dead_letter_state = 'discarded', lookup_after = null where id = p_send;
      with ended as (
        update run
        set
          state = 'stopped',
          ended_at = p_now,
          end_reason = 'dead_letter_discarded',
          due_at = null
        where id = s.run_id and send_id = p_send and ended_at is null
        returning workspace_id, id, node_id
      )
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select
        e.workspace_id,
        e.id,
        p_now,
        'run.completed',
        e.node_id,
        p_who,
        p_reason,
        '{"state": "stopped", "reason": "dead_letter_discarded"}'
      from ended e;
    end if;
    if p_resolution <> 'retry' then perform app.follow_sends(p_now, array[p_send], '[]'); end if;
    update run
    set due_at = p_now
    where id = s.run_id
      and send_id = p_send
      and ended_at is null
      and state not in ('paused', 'replied');
    perform app.wake_workspaces(array[s.workspace_id], p_now, 'dead_letter');
    return (select state from send where id = p_send);
  end $$;

alter function app.resolve_send(uuid, text, bigint, text, text) owner to outrider_definer;
revoke execute on function app.resolve_send(uuid, text, bigint, text, text) from public;
grant execute on function app.resolve_send(uuid, text, bigint, text, text) to outrider_app, outrider_owner;
