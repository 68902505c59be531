-- Unites two persons (app.merge_person) and keeps what proved it; the smaller id stays. It refuses, and returns false,
-- for persons of two agencies and for two who both have a profile and share none (same-person.ts): only the network
-- itself proves that two addresses are one profile, by one id that an account found under each of them.
-- p_evidence: {kind: identity | provider | scope, …}, which stays in the journal (person_merge). True also when they
-- are one already. Locks: both persons by id, then what app.merge_person locks.
create or replace function app.unite_persons(p_one uuid, p_other uuid, p_evidence jsonb) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    one uuid;
    other uuid;
    homes text[];
  begin
    perform 1 from person p where p.id in (p_one, p_other) order by p.id for no key update;
    one := coalesce((select coalesce(p.merged_into, p.id) from person p where p.id = p_one), p_one);
    other := coalesce((select coalesce(p.merged_into, p.id) from person p where p.id = p_other), p_other);
    if one = other then return true; end if;
    select array_agg(distinct p.scope) into homes from person p where p.id in (one, other);
    if cardinality(homes) > 1 then return false; end if;
    if p_evidence ->> 'kind' <> 'provider'
      and exists (select 1 from person_alias a where a.person_id = one and a.kind = 'profile')
      and exists (select 1 from person_alias a where a.person_id = other and a.kind = 'profile')
    then
      return false;
    end if;
    insert into person_merge (scope, from_person, into_person, evidence, carried)
    values (
      coalesce(homes[1], ''),
      greatest(one, other),
      least(one, other),
      p_evidence,
      jsonb_build_object(
        'leads', coalesce(
          (
            select jsonb_agg(x.id)
            from (
              select l.id
              from lead l
              where l.person_id = greatest(one, other)
              union
              select m.lead_id
              from pool_person m
              where m.person_id = greatest(one, other)
              limit 1000
            ) x
          ),
          '[]'
        ),
        'aliases', coalesce(
          (
            select jsonb_agg(jsonb_build_object('kind', a.kind, 'value', a.value))
            from person_alias a
            where a.person_id = greatest(one, other)
          ),
          '[]'
        )
      )
    );
    perform app.merge_person(greatest(one, other), least(one, other));
    return true;
  end $$;

alter function app.unite_persons(uuid, uuid, jsonb) owner to outrider_definer;
revoke execute on function app.unite_persons(uuid, uuid, jsonb) from public;
