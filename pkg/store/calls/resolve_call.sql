-- Carries out what a platform admin decides about a call that is a dead letter (catalog:
-- svc_admin_resolve_dead_letter): mark_done; mark_not_done (its key is free, and the next run that asks makes the
-- call); discard; retry (the run that failed with it goes back to its step).
-- Returns the call's state, or not_found, forbidden, not_looked_up (its look-ups ended) or outcome_unknown (a retry
-- before somebody decided). `p_now`: epoch ms UTC, product time. `p_who` and `p_reason` are appended to the call's
-- error.
create or replace function app.resolve_call(
  p_call uuid, p_resolution text, p_now bigint, p_who text, p_reason text
)
  returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare c record;
  begin
    select *
    into c
    from node_call
    where id = p_call and dead_letter_at is not null
    for update;
    if not found then return 'not_found'; end if;
    if not app.is_platform() then return 'forbidden'; end if;
    if p_resolution = 'lookup' then return 'not_looked_up'; end if;
    if p_resolution = 'retry' and (c.dead_letter_state = 'open' or c.once_key is not null) then
      return 'outcome_unknown';
    end if;
    if p_resolution = 'retry' then
      update run
      set
        send_id = null,
        state = 'waiting',
        ended_at = null,
        end_reason = null,
        due_at = p_now,
        wait_reason = 'duration'
      where id = c.run_id
        and node_id = c.node_id
        and state = 'failed'
        and not exists (
          select 1
          from run o
          where o.workflow_id = run.workflow_id and o.lead_id = run.lead_id and o.ended_at is null
        );
      perform app.wake_workspaces(array[c.workspace_id], p_now, 'dead_letter');
      return c.state;
    end if;
    update node_call
    set
      dead_letter_state = case when p_resolution = 'discard' then 'discarded' else 'resolved' end,
      once_key = case when p_resolution = 'mark_not_done' then null else once_key end,
      error = left(
        concat_ws('; ', nullif(error, ''), p_resolution || ' by ' || p_who || ': ' || p_reason),
        1000
      )
    where id = p_call;
    return c.state;
  end $$;

alter function app.resolve_call(uuid, text, bigint, text, text) owner to outrider_definer;
revoke execute on function app.resolve_call(uuid, text, bigint, text, text) from public;
grant execute on function app.resolve_call(uuid, text, bigint, text, text) to outrider_app, outrider_owner;
