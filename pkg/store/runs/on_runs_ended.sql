-- Trigger after updates of `run`: a run that ended (by a tool, a tombstone, the engine) releases its contact claim,
-- with the cool-down of recontactAfterDays from the last contact; it undoes what was planned or claimed and not
-- dispatched, and cancels its drafts. A claim that is free at once wakes runs that wait for it
-- (`claim_held_elsewhere`) in any workspace; it passes over those that somebody works on at this moment, which look
-- again by themselves. It tells of leads that left a campaign. Most updates end nothing, so that it asks for that
-- first.
create or replace function app.on_runs_ended() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
  declare
    ended uuid[];
    sends uuid[];
    freed uuid[];
    woken text[];
  begin
    if not exists (select 1 from new_rows where ended_at is not null) then return null; end if;
    select array_agg(n.id)
    into ended
    from new_rows n
    join old_rows o on o.id = n.id
    where n.ended_at is not null and o.ended_at is null;
    if ended is null then return null; end if;
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, x.at, 'lead.left_campaign', 'engine',
      jsonb_build_object('campaignId', x.campaign_id, 'leadIds', t.part)
    from (
      select n.workspace_id, n.campaign_id, max(n.ended_at) as at, array_agg(n.lead_id order by n.id) as ids
      from new_rows n
      where n.id = any (ended)
        and not exists (
          select 1
          from (
            select x.workspace_id, x.lead_id, x.campaign_id, x.ended_at
            from run x
            where x.person_id = n.person_id
            offset 0
          ) o
          where o.workspace_id = n.workspace_id
            and o.lead_id = n.lead_id
            and o.campaign_id = n.campaign_id
            and o.ended_at is null
        )
      group by 1, 2
    ) x
    cross join lateral app.thousands(x.ids) as t (part);
    with f as (
      update contact_claim c
      set
        released_at = n.ended_at,
        cool_until = greatest(
          c.cool_until,
          (
            select max(g.last_at) + app.policy_days(p.settings, 'recontactAfterDays')::bigint * 86400000
            from contact_log g
            where g.person_id = n.person_id and g.workflow_id = n.workflow_id
          )
        )
      from new_rows n
      join campaign p on p.id = n.campaign_id
      where n.id = any (ended) and c.run_id = n.id and c.released_at is null
      returning c.person_id, coalesce(c.cool_until, 0) <= c.released_at as free
    )
    select array_agg(f.person_id) filter (where f.free)
    into freed
    from f;
    if freed is not null then
      with w as (
        update run r
        set due_at = (select max(n.ended_at) from new_rows n)
        where r.id in (
          select k.id
          from run k
          where k.person_id = any (freed)
            and k.ended_at is null
            and k.wait_reason = 'claim_held_elsewhere'
            and k.due_at is not null
            and k.state <> 'paused'
          for no key update skip locked
        )
        returning r.workspace_id
      )
      select array_agg(distinct w.workspace_id)
      into woken
      from w;
      if woken is not null then
        perform app.wake_workspaces(woken, (select max(n.ended_at) from new_rows n), 'claim_released');
      end if;
    end if;
    select array_agg(s.id)
    into sends
    from send s
    join new_rows n on n.id = s.run_id
    where s.run_id = any (ended) and s.state in ('planned', 'claimed');
    if sends is not null then
      perform app.cancel_sends(sends, (select max(n.ended_at) from new_rows n));
    end if;
    update review_item i
    set
      state = 'cancelled',
      decided_at = n.ended_at,
      decided_by = 'engine',
      reason = coalesce(n.end_reason, 'the run ended')
    from new_rows n
    where i.run_id = n.id
      and n.id = any (ended)
      and i.conversation_id is null
      and i.state in ('pending', 'approved');
    return null;
  end $$;

alter function app.on_runs_ended() owner to outrider_definer;
revoke execute on function app.on_runs_ended() from public;
grant execute on function app.on_runs_ended() to outrider_owner;
