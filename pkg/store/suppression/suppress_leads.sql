-- Ends the live runs of these leads in a workspace as suppressed, whose contact was just excluded, and undoes what
-- was not dispatched; what is on its way stays and is told by who asks. p_by: who excluded, for the history; p_now:
-- epoch ms, product time. Returns the runs that it ended; none where the caller may not use the workspace. Locks:
-- runs in order of ids.
create or replace function app.suppress_leads(p_now bigint, p_workspace text, p_leads uuid[], p_by text)
  returns uuid[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    known uuid[] := '{}';
    sends uuid[];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- It reads again while it finds others: the batch for which it waited may have handed the lead over to another run.
    loop
      select array_agg(x.id)
      into runs
      from (
        select r.id
        from run r
        where r.workspace_id = p_workspace and r.lead_id = any (p_leads) and r.ended_at is null
        order by r.id for no key update
      ) x;
      exit when runs is not distinct from known;
      known := runs;
    end loop;
    if runs is null then return '{}'; end if;
    select array_agg(s.id)
    into sends
    from send s
    where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    update run r
    set
      state = 'suppressed',
      ended_at = p_now,
      end_reason = 'excluded',
      due_at = null,
      wait_reason = null,
      send_id = case when r.send_id = any (sends) then null else r.send_id end
    where r.id = any (runs);
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      p_workspace, r.id, p_now, 'run.completed', nullif(r.node_id, ''), p_by, '',
      '{"state": "suppressed", "reason": "excluded"}'
    from run r
    where r.id = any (runs);
    return runs;
  end $$;

alter function app.suppress_leads(bigint, text, uuid[], text) owner to outrider_definer;
revoke execute on function app.suppress_leads(bigint, text, uuid[], text) from public;
grant execute on function app.suppress_leads(bigint, text, uuid[], text) to outrider_app, outrider_executor;
