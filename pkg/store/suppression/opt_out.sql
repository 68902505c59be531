-- Stops at once in one workspace, whatever the channel, what a person (p_source unsubscribe) or their provider
-- (complaint) wishes to end: it excludes the person and ends their live runs as suppressed.
-- p_by: who told, for the history. p_now: epoch ms, product time. Returns how many runs it ended; 0 where the caller
-- may neither use the workspace nor has the lease of one of its accounts. Locks: the person (shared), runs in order
-- of ids.
create or replace function app.opt_out(p_now bigint, p_workspace text, p_person uuid, p_source text, p_by text)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    known uuid[] := '{}';
    sends uuid[];
  begin
    if not app.may_use(p_workspace)
      and not exists (
        select 1
        from account_link l
        where l.workspace_id = p_workspace and l.account_id = app.account()
      )
    then
      return 0;
    end if;
    p_person := coalesce(app.person_now(p_person), p_person);
    insert into suppression (
      id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
    )
    select
      gen_random_uuid(),
      p_workspace,
      'workspace',
      'person',
      p_person::text,
      p_person,
      p_source,
      case p_source when 'complaint' then 'reported a mail as unwanted' else 'asked to stop' end,
      app.is_removable(p_source),
      p_by,
      p_now
    where not exists (
      select 1
      from suppression s
      where s.workspace_id = p_workspace and s.person_id = p_person and s.source = p_source
    );
    -- It reads again while it finds others: the batch for which it waited may have handed the person over to another
    -- run.
    loop
      select array_agg(x.id)
      into runs
      from (
        select r.id
        from run r
        where r.person_id = p_person and r.workspace_id = p_workspace and r.ended_at is null
        order by r.id for no key update
      ) x;
      exit when runs is not distinct from known;
      known := runs;
    end loop;
    if runs is null then return 0; end if;
    select array_agg(s.id)
    into sends
    from send s
    where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      p_workspace,
      r.id,
      p_now,
      case p_source when 'complaint' then 'mail.complained' else 'unsubscribe.received' end,
      r.node_id,
      'lead',
      '',
      jsonb_build_object('by', p_by)
    from run r
    where r.id = any (runs);
    update run r
    set
      state = 'suppressed',
      ended_at = p_now,
      end_reason = case p_source when 'complaint' then 'complained' else 'unsubscribed' end,
      due_at = null,
      wait_reason = null,
      send_id = case when r.send_id = any (sends) then null else r.send_id end
    where r.id = any (runs);
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      p_workspace,
      r.id,
      p_now,
      'run.completed',
      nullif(r.node_id, ''),
      'engine',
      '',
      jsonb_build_object('state', 'suppressed', 'reason', r.end_reason)
    from run r
    where r.id = any (runs);
    return cardinality(runs);
  end $$;

alter function app.opt_out(bigint, text, uuid, text, text) owner to outrider_definer;
revoke execute on function app.opt_out(bigint, text, uuid, text, text) from public;
