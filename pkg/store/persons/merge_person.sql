-- Unites two identities of one agency that are one human: p_from is p_into from now on. Leads, runs, sends,
-- exclusions and conversations follow, and so does every proof of contact; of two the stricter one wins (a live
-- claim, the later contact, the send that is further, the closer relation).
-- A person who was merged into another meanwhile is taken as who they are by now, so that either may stay in the end:
-- ask app.person_now. It asks for no permission and no proof: app.unite_persons does, and keeps it. OU002: they
-- belong to two agencies. Locks: both persons by id, then leads, then runs.
create or replace function app.merge_person(p_from uuid, p_into uuid) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    from_now uuid;
    into_now uuid;
  begin
    -- It waits for a merge of one of them at the same moment, and goes on with what that made of them.
    loop
      if p_from = p_into then return; end if;
      perform 1 from person p where p.id in (p_from, p_into) order by p.id for no key update;
      from_now := coalesce((select coalesce(p.merged_into, p.id) from person p where p.id = p_from), p_from);
      into_now := coalesce((select coalesce(p.merged_into, p.id) from person p where p.id = p_into), p_into);
      exit when from_now = p_from and into_now = p_into;
      p_from := from_now;
      p_into := into_now;
    end loop;
    if (select count(distinct p.scope) from person p where p.id in (p_from, p_into)) > 1 then
      raise exception 'persons of two agencies are never one' using errcode = 'OU002';
    end if;
    update lead set person_id = p_into where person_id = p_from;
    update pool_person set person_id = p_into where person_id = p_from;
    update person set merged_into = p_into where id = p_from;
    update person set merged_into = p_into where merged_into = p_from;
    update person_alias set person_id = p_into where person_id = p_from;
    update run set person_id = p_into where person_id = p_from;
    -- Meanwhile one of these may have handed over to another run.
    update run set person_id = p_into where person_id = p_from;
    update action
    set person_id = p_into, once_key = replace(once_key, p_from::text, p_into::text)
    where person_id = p_from;
    update send
    set person_id = p_into, send_key = replace(send_key, p_from::text, p_into::text)
    where person_id = p_from
      and (
        run_id = any (array(select r.id from run r where r.person_id = p_into))
        or action_id = any (array(select a.id from action a where a.person_id = p_into))
        or id = any (array(select k.send_id from send_key k where k.person_id = p_from))
      );
    update suppression set person_id = p_into where person_id = p_from;
    update conversation set person_id = p_into where person_id = p_from;
    insert into send_key as k (key, person_id, workspace_id, send_id, taken_at)
    select
      replace(o.key, p_from::text, p_into::text),
      p_into,
      o.workspace_id,
      o.send_id,
      o.taken_at
    from send_key o
    where o.person_id = p_from
    on conflict (key) do update set
      workspace_id = excluded.workspace_id,
      send_id = excluded.send_id,
      taken_at = excluded.taken_at
      where app.send_progress(excluded.send_id) > app.send_progress(k.send_id);
    insert into contact_claim as c (
      scope_key, person_id, workspace_id, run_id, taken_at, released_at, cool_until
    )
    select o.scope_key, p_into, o.workspace_id, o.run_id, o.taken_at, o.released_at, o.cool_until
    from contact_claim o
    where o.person_id = p_from
    on conflict (scope_key, person_id) do update set
      released_at = case
        when c.released_at is null or excluded.released_at is null then null
        else greatest(c.released_at, excluded.released_at)
      end,
      workspace_id = case when c.released_at is null then c.workspace_id else excluded.workspace_id end,
      run_id = case when c.released_at is null then c.run_id else excluded.run_id end,
      taken_at = case when c.released_at is null then c.taken_at else excluded.taken_at end,
      cool_until = greatest(c.cool_until, excluded.cool_until);
    delete from contact_claim where person_id = p_from;
    insert into contact_log as l (
      person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, before_at, touches
    )
    select
      p_into, o.workspace_id, o.campaign_id, o.workflow_id, o.account_id, o.last_at, o.before_at, o.touches
    from contact_log o
    where o.person_id = p_from
    on conflict (person_id, workflow_id) do update set
      last_at = greatest(l.last_at, excluded.last_at),
      before_at = case
        when excluded.last_at > l.last_at then greatest(excluded.before_at, l.last_at)
        else greatest(l.before_at, excluded.last_at)
      end,
      touches = l.touches + excluded.touches;
    delete from contact_log where person_id = p_from;
    insert into relation as r (
      account_id, person_id, provider_id, profile_id, state, invitation_id, requested_at, connected_at
    )
    select
      o.account_id, p_into, o.provider_id, o.profile_id, o.state, o.invitation_id, o.requested_at, o.connected_at
    from relation o
    where o.person_id = p_from
    on conflict (account_id, person_id) do update set
      state = case
        when 'connected' in (r.state, excluded.state) then 'connected'
        when 'pending' in (r.state, excluded.state) then 'pending'
        else 'none'
      end,
      provider_id = coalesce(r.provider_id, excluded.provider_id),
      profile_id = case when r.provider_id is null then excluded.profile_id else r.profile_id end,
      invitation_id = coalesce(r.invitation_id, excluded.invitation_id),
      requested_at = coalesce(r.requested_at, excluded.requested_at),
      connected_at = coalesce(r.connected_at, excluded.connected_at);
    delete from relation where person_id = p_from;
  end $$;

alter function app.merge_person(uuid, uuid) owner to outrider_definer;
revoke execute on function app.merge_person(uuid, uuid) from public;
