-- Makes runs of p_workspace due at once that wait because no account could act (`account_unhealthy`), for p_account
-- or for any. Where the workspace has more than 5,000 live runs it puts the account down for the executor, which goes
-- through them in parts (app.walk_released).
-- Returns whether it may have woken a run. Triggers call it in the transaction that links the account or lets it act
-- again. Locks: runs by id.
create or replace function app.release_account(p_workspace text, p_account text) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    looked int;
    ids uuid[];
  begin
    select count(*), array_agg(s.id) filter (where s.waits)
    into looked, ids
    from (
      select r.id, r.waits
      from workflow x
      cross join lateral (
        select
          r.id,
          r.wait_reason = 'account_unhealthy'
            and (r.account_id = p_account or r.account_id is null)
            and r.due_at is not null
            and r.state <> 'paused' as waits
        -- Only the index of a workflow's live runs has this order: without it the planner may read those of everybody
        -- to find none.
        from run r
        where r.workflow_id = x.id and r.ended_at is null
        order by r.lead_id limit 5001
      ) r
      where x.workspace_id = p_workspace and x.deleted_at is null
      limit 5001
    ) s;
    if looked > 5000 then
      insert into release_walk as w (workspace_id, waiting)
      values (p_workspace, array[p_account])
      on conflict (workspace_id) do update set waiting = w.waiting || p_account
        where not (p_account = any (w.waiting));
      return true;
    end if;
    -- Executors lock them in this order.
    perform 1 from run r where r.id = any (ids) order by r.id for no key update;
    update run
    set due_at = 0
    where id = any (ids)
      and wait_reason = 'account_unhealthy'
      and ended_at is null
      and due_at is not null
      and state <> 'paused';
    return found;
  end $$;

alter function app.release_account(text, text) owner to outrider_definer;
revoke execute on function app.release_account(text, text) from public;
