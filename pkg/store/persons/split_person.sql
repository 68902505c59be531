-- Undoes that several humans are one person: each profile of the person's leads is a person of its own from now on,
-- with what was done to its leads (app.move_person). Leads without a profile go with the profile that shares their
-- mail address, else with the first. Profiles that the network told to be one (an account found the same id under
-- both, or wrote to it) stay together, unless p_merge says which merge of the journal (person_merge) is undone: then
-- the leads and the aliases that it carried are a person again.
-- p_by: who undoes it. Returns the persons that there are now, the one who keeps the id first; one row: there was
-- nothing to split. Nothing outside of the platform. Locks: the person, then what app.move_person locks.
create or replace function app.split_person(p_person uuid, p_merge uuid, p_by text) returns setof uuid
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    home text;
    undone jsonb := '{}';
    part record;
    made uuid;
    parts int := 0;
  begin
    if not app.is_platform() and session_user <> 'outrider_owner' then return; end if;
    select p.scope into home from person p where p.id = p_person for no key update;
    if not found then return; end if;
    if p_merge is not null then
      select m.carried
      into undone
      from person_merge m
      where m.id = p_merge and m.into_person = p_person and m.undone_at is null;
      if not found then
        return next p_person;
        return;
      end if;
    end if;
    return next p_person;
    for part in
      with l as materialized (
        select
          x.id,
          x.workspace_id as own,
          x.profile_id,
          app.person_mails(x.email, x.profile_id) as mails
        from lead x
        where x.person_id = p_person and x.workspace_id is not null
        union
        select x.id, null, x.profile_id, app.person_mails(x.email, x.profile_id)
        from pool_person m
        join lead x on x.id = m.lead_id
        where m.person_id = p_person
      ),
      met as materialized (
        select r.lead_id, min(s.account_id || ' ' || (s.target ->> 'providerId')) as known_as
        from run r
        join send s on s.run_id = r.id and s.target ->> 'providerId' <> ''
        where r.person_id = p_person
        group by 1
      ),
      profiled as materialized (
        select
          l.profile_id,
          coalesce(min(met.known_as), 'profile ' || l.profile_id) as part
        from l
        left join met on met.lead_id = l.id
        where l.profile_id is not null
        group by l.profile_id
      ),
      parted as (
        select
          l.*,
          case
            when p_merge is not null
              then case when undone -> 'leads' ? l.id::text then 'undone' else 'stays' end
            else coalesce(
              p.part,
              (
                select min(q.part)
                from l o
                join profiled q on q.profile_id = o.profile_id
                where o.mails && l.mails
              ),
              (select min(q.part) from profiled q)
            )
          end as part
        from l
        left join profiled p on p.profile_id = l.profile_id
      ),
      ranked as (
        select
          d.part,
          array_agg(d.id order by d.id) as leads,
          array_agg(distinct d.profile_id) filter (where d.profile_id is not null) as profiles,
          coalesce(array_agg(distinct m.value) filter (where m.value is not null), '{}') as mails,
          row_number() over (
            order by d.part = 'stays' desc, count(distinct d.id) desc, min(d.id::text)
          ) as place
        from parted d
        left join lateral unnest(d.mails) m (value) on true
        group by d.part
      )
      select * from ranked where place > 1
    loop
      made := gen_random_uuid();
      insert into person (id, scope, created_at)
      select made, home, p.created_at
      from person p
      where p.id = p_person;
      update person_alias a
      set person_id = made
      where a.person_id = p_person
        and (
          a.kind = 'profile' and a.value = any (part.profiles)
          or a.kind = 'mail'
            and a.value = any (part.mails)
            and not exists (
              select 1
              from lead o
              where o.person_id = p_person
                and not o.id = any (part.leads)
                and a.value = any (app.mail_hashes(o.email))
            )
        );
      perform app.move_person(w.id, k.id, p_person, made, false)
      from (select distinct unnest(part.leads) as id) k
      cross join lateral (
        select l.workspace_id as id
        from lead l
        where l.id = k.id and l.workspace_id is not null
        union
        select r.workspace_id
        from run r
        where r.person_id = p_person and r.lead_id = k.id
      ) w;
      update pool_person m set person_id = made where m.person_id = p_person and m.lead_id = any (part.leads);
      parts := parts + 1;
      return next made;
    end loop;
    if p_merge is not null and parts = 0 then
      -- No lead of theirs is left: what they were known by is.
      made := gen_random_uuid();
      insert into person (id, scope, created_at) select made, home, p.created_at from person p where p.id = p_person;
      parts := 1;
      return next made;
    end if;
    if p_merge is not null then
      update person_alias a
      set person_id = made
      from jsonb_to_recordset(undone -> 'aliases') as x (kind text, value text)
      where a.person_id = p_person and a.scope = home and a.kind = x.kind and a.value = x.value;
    end if;
    if parts > 0 then
      update person_merge m
      set undone_at = now(), undone_by = p_by
      where m.into_person = p_person and m.undone_at is null and (p_merge is null or m.id = p_merge);
    end if;
  end $$;

alter function app.split_person(uuid, uuid, text) owner to outrider_definer;
revoke execute on function app.split_person(uuid, uuid, text) from public;
grant execute on function app.split_person(uuid, uuid, text) to outrider_app, outrider_owner;
