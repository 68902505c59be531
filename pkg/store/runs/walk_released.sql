-- Takes one part of the walk over the live runs of a workspace after accounts were released or their settings
-- changed. It looks at some 20,000 runs and wakes (due_at 0) some 5,000 at most that wait with `account_unhealthy`
-- for an account that was released, or for any, or for a budget, pace or hours (app.waits_for_settings) of one whose
-- settings changed. Returns whether more is left. Where another transaction has the walk it leaves it to that one.
-- Locks: the walk, then runs in order of ids.
create or replace function app.walk_released(p_workspace text) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    w release_walk;
    f text;
    leads uuid[];
    part uuid[];
    ids uuid[] := '{}';
    looked int := 0;
    full_part boolean := false;
  begin
    select *
    into w
    from release_walk
    where workspace_id = p_workspace
    for update skip locked;
    if not found then return false; end if;
    if w.at_flow is null then
      w.of_accounts := w.waiting;
      w.waiting := '{}';
      w.settings_of := w.settings_waiting;
      w.settings_waiting := '{}';
      w.at_flow := '';
    end if;
    <<flows>>
    for f in
      select x.id
      from workflow x
      where x.workspace_id = p_workspace and x.deleted_at is null and x.id >= w.at_flow
      order by x.id
    loop
      if f <> w.at_flow then w.at_lead := null; end if;
      w.at_flow := f;
      loop
        select array_agg(r.lead_id order by r.lead_id), array_agg(r.id) filter (where r.waits)
        into leads, part
        from (
          select
            r.id,
            r.lead_id,
            r.wait_reason = 'account_unhealthy'
                and cardinality(w.of_accounts) > 0
                and (r.account_id = any (w.of_accounts) or r.account_id is null)
                and r.due_at is not null
                and r.state <> 'paused'
              or app.waits_for_settings(r) and r.account_id = any (w.settings_of) as waits
          from run r
          where r.workflow_id = f
            and r.ended_at is null
            and r.lead_id > coalesce(w.at_lead, '00000000-0000-0000-0000-000000000000')
          order by r.lead_id limit 1000
        ) r;
        exit when leads is null;
        w.at_lead := leads[cardinality(leads)];
        looked := looked + cardinality(leads);
        ids := ids || coalesce(part, '{}');
        full_part := looked >= 20000 or cardinality(ids) > 4000;
        exit flows when full_part;
        exit when cardinality(leads) < 1000;
      end loop;
    end loop;
    -- Executors lock them in this order.
    perform 1 from run r where r.id = any (ids) order by r.id for no key update;
    update run r
    set due_at = 0
    where r.id = any (ids)
      and (
        app.waits_for_settings(r)
        or r.wait_reason = 'account_unhealthy'
          and r.ended_at is null
          and r.due_at is not null
          and r.state <> 'paused'
      );
    if full_part then
      update release_walk
      set
        waiting = w.waiting,
        of_accounts = w.of_accounts,
        settings_waiting = w.settings_waiting,
        settings_of = w.settings_of,
        at_flow = w.at_flow,
        at_lead = w.at_lead
      where workspace_id = p_workspace;
      return true;
    end if;
    if cardinality(w.waiting) > 0 or cardinality(w.settings_waiting) > 0 then
      update release_walk
      set
        waiting = w.waiting,
        of_accounts = '{}',
        settings_waiting = w.settings_waiting,
        settings_of = '{}',
        at_flow = null,
        at_lead = null
      where workspace_id = p_workspace;
      return true;
    end if;
    delete from release_walk where workspace_id = p_workspace;
    return false;
  end $$;

alter function app.walk_released(text) owner to outrider_definer;
revoke execute on function app.walk_released(text) from public;
