-- Gives what a workspace did to a person to another one: leads, runs, sends, send keys, contact claims, contacts,
-- exclusions, addresses that unsubscribe, and what its accounts know. Of two the stricter one wins, as in
-- app.merge_person.
-- p_lead: of this lead only; null: all of the workspace. Of a lead goes what names it: a contact by its own sends (the
-- former person keeps theirs too), an exclusion that came with the end of its run, or that nothing attributes to any
-- lead, which then binds both. p_sure: both are one human, so that the ids of the network go along; else only those
-- that a send of the workspace found first. Locks: leads, runs.
create or replace function app.move_person(
  p_workspace text, p_lead uuid, p_from uuid, p_into uuid, p_sure boolean
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    runs uuid[];
    sends uuid[];
    -- accounts that met them by a send which goes along
    met text[];
  begin
    runs := array(
      select r.id
      from run r
      where r.person_id = p_from
        and r.workspace_id = p_workspace
        and (p_lead is null or r.lead_id = p_lead)
    );
    sends := array(
      select s.id
      from send s
      where s.run_id = any (runs)
      union
      select s.id
      from action a
      join send s on s.action_id = a.id
      where a.person_id = p_from and a.workspace_id = p_workspace and (p_lead is null or a.lead_id = p_lead)
      union
      select k.send_id
      from send_key k
      where k.person_id = p_from and k.workspace_id = p_workspace and p_lead is null
    );
    update lead l
    set person_id = p_into
    where l.person_id = p_from and l.workspace_id = p_workspace and (p_lead is null or l.id = p_lead);
    insert into pool_person (lead_id, scope, person_id)
    select distinct r.lead_id, app.person_scope(p_workspace), p_into
    from run r
    join lead l on l.id = r.lead_id and l.workspace_id is null
    where r.id = any (runs)
    on conflict (lead_id, scope) do update set person_id = excluded.person_id;
    update run r set person_id = p_into where r.id = any (runs);
    update action a
    set person_id = p_into, once_key = replace(a.once_key, p_from::text, p_into::text)
    where a.person_id = p_from and a.workspace_id = p_workspace and (p_lead is null or a.lead_id = p_lead);
    update send s
    set person_id = p_into, send_key = replace(s.send_key, p_from::text, p_into::text)
    where s.id = any (sends) and s.person_id = p_from;
    insert into send_key as k (key, person_id, workspace_id, send_id, taken_at)
    select replace(o.key, p_from::text, p_into::text), p_into, o.workspace_id, o.send_id, o.taken_at
    from send_key o
    where o.person_id = p_from and o.workspace_id = p_workspace and o.send_id = any (sends)
    on conflict (key) do update set
      workspace_id = excluded.workspace_id,
      send_id = excluded.send_id,
      taken_at = excluded.taken_at
      where app.send_progress(excluded.send_id) > app.send_progress(k.send_id);
    delete from send_key o
    where o.person_id = p_from and o.workspace_id = p_workspace and o.send_id = any (sends);
    insert into contact_claim as c (
      scope_key, person_id, workspace_id, run_id, taken_at, released_at, cool_until
    )
    select o.scope_key, p_into, o.workspace_id, o.run_id, o.taken_at, o.released_at, o.cool_until
    from contact_claim o
    where o.person_id = p_from
      and o.workspace_id = p_workspace
      and (p_lead is null or o.run_id = any (runs))
    on conflict (scope_key, person_id) do update set
      released_at = case
        when c.released_at is null or excluded.released_at is null then null
        else greatest(c.released_at, excluded.released_at)
      end,
      workspace_id = case when c.released_at is null then c.workspace_id else excluded.workspace_id end,
      run_id = case when c.released_at is null then c.run_id else excluded.run_id end,
      taken_at = case when c.released_at is null then c.taken_at else excluded.taken_at end,
      cool_until = greatest(c.cool_until, excluded.cool_until);
    delete from contact_claim o
    where o.person_id = p_from
      and o.workspace_id = p_workspace
      and (p_lead is null or o.run_id = any (runs));
    insert into contact_log as g (
      person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, before_at, touches
    )
    select
      p_into,
      o.workspace_id,
      o.campaign_id,
      o.workflow_id,
      o.account_id,
      coalesce(x.last_at, o.last_at),
      case when x.last_at is null then o.before_at end,
      coalesce(x.touches, o.touches)
    from contact_log o
    left join lateral (
      select max(s.dispatched_at) as last_at, count(*)::int as touches
      from send s
      where p_lead is not null
        and s.id = any (sends)
        and s.workflow_id = o.workflow_id
        and s.dispatched_at is not null
        and s.state <> 'failed'
        and app.is_contact(s.action)
      having count(*) > 0
    ) x on true
    where o.person_id = p_from
      and o.workspace_id = p_workspace
      and (
        p_lead is null
        or x.last_at is not null
        -- A contact that no send tells of, such as one that was handed over: of whichever lead it was, it counts.
        or exists (select 1 from run r where r.id = any (runs) and r.workflow_id = o.workflow_id)
          and not exists (
            select 1
            from send s
            where s.person_id in (p_from, p_into)
              and s.run_id in (
                select r.id
                from run r
                where r.workspace_id = p_workspace and r.person_id in (p_from, p_into)
              )
              and s.workflow_id = o.workflow_id
              and s.dispatched_at is not null
          )
      )
    on conflict (person_id, workflow_id) do update set
      last_at = greatest(g.last_at, excluded.last_at),
      before_at = coalesce(g.before_at, excluded.before_at),
      touches = greatest(g.touches, excluded.touches);
    if p_lead is null then
      delete from contact_log where person_id = p_from and workspace_id = p_workspace;
    end if;
    insert into suppression (
      id, workspace_id, agency_id, campaign_id, level, kind, value, person_id, applies_to, source, reason,
      removable, created_by, created_at, expires_at
    )
    select
      gen_random_uuid(), s.workspace_id, s.agency_id, s.campaign_id, s.level, s.kind,
      case when s.kind = 'person' then p_into::text else s.value end, p_into, s.applies_to, s.source, s.reason,
      s.removable, s.created_by, s.created_at, s.expires_at
    from suppression s
    where s.person_id = p_from
      and s.workspace_id = p_workspace
      and (
        p_lead is null
        or app.may_be_about(s.created_at, p_workspace, p_lead)
        or not exists (
          select 1
          from run r
          where r.workspace_id = p_workspace
            and r.person_id in (p_from, p_into)
            and app.may_be_about(s.created_at, p_workspace, r.lead_id)
        )
      );
    delete from suppression s
    where s.person_id = p_from
      and s.workspace_id = p_workspace
      and (
        p_lead is null
        or app.may_be_about(s.created_at, p_workspace, p_lead)
          and not exists (
            select 1
            from run r
            where r.workspace_id = p_workspace
              and r.person_id = p_from
              and app.may_be_about(s.created_at, p_workspace, r.lead_id)
          )
      );
    update unsubscribe_token t
    set person_id = p_into
    where t.workspace_id = p_workspace
      and t.person_id = p_from
      and (
        p_lead is null
        or exists (
          select 1
          from send s
          where s.id = any (sends)
            and s.action = 'mail'
            and s.account_id = t.account_id
            and t.created_at between s.claimed_at - 1000 and coalesce(s.dispatched_at, s.claimed_at) + 600000
        )
      );
    met := array(
      select o.account_id
      from relation o
      where not p_sure
        and o.person_id = p_from
        and (
          select s.id
          from send s
          join send_key k on k.send_id = s.id
          where s.account_id = o.account_id
            and k.person_id in (p_from, p_into)
            and s.target ->> 'providerId' = o.provider_id
          order by s.claimed_at limit 1
        ) = any (sends)
    );
    insert into relation as r (
      account_id, person_id, provider_id, profile_id, state, invitation_id, requested_at, connected_at
    )
    select
      o.account_id, p_into, o.provider_id, o.profile_id, o.state, o.invitation_id, o.requested_at, o.connected_at
    from relation o
    join account_link l on l.account_id = o.account_id and l.workspace_id = p_workspace
    where o.person_id = p_from
      and (p_sure or o.account_id = any (met))
    on conflict (account_id, person_id) do nothing;
    delete from relation o where o.person_id = p_from and o.account_id = any (met);
    update conversation c
    set person_id = p_into
    from account_link l
    where c.person_id = p_from
      and coalesce(c.provider_id, '') = ''
      and l.account_id = c.account_id
      and l.workspace_id = p_workspace
      and exists (select 1 from send s where s.id = any (sends) and s.account_id = c.account_id)
      and not exists (
        select 1
        from run r
        join account_link k on k.workspace_id = r.workspace_id and k.account_id = c.account_id
        where r.person_id = p_from
      );
  end $$;

alter function app.move_person(text, uuid, uuid, uuid, boolean) owner to outrider_definer;
revoke execute on function app.move_person(text, uuid, uuid, uuid, boolean) from public;
