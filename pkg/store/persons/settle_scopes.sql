-- Gives each person that belongs to nobody yet to the agency (else the workspace) that deals with them
-- (app.divide_person where several do), and splits those whom different profiles disprove (app.split_person). Persons
-- with whom nobody deals, of the pool, are nobody's.
-- It serves persons of the versions before, and those that such a program makes while an upgrade rolls. Returns how
-- many it settled. Locks: persons and aliases against everybody who writes them.
create or replace function app.settle_scopes() returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    settling uuid[];
    doubtful uuid[];
    one record;
  begin
    if not exists (select 1 from person p where p.scope = '' and p.merged_into is null) then return 0; end if;
    lock table person, person_alias in share row exclusive mode;
    settling := array(select p.id from person p where p.scope = '' and p.merged_into is null);
    doubtful := array(
      select a.person_id
      from person_alias a
      where a.person_id = any (settling) and a.kind = 'profile'
      group by 1
      having count(*) > 1
    );
    -- Whose id of the network it is nobody can doubt of a person with one profile.
    update relation r
    set profile_id = a.value
    from unnest(settling) k (id)
    join person_alias a on a.person_id = k.id and a.kind = 'profile'
    where r.person_id = k.id
      and not k.id = any (doubtful)
      and r.provider_id <> ''
      and r.profile_id is null;
    update person p
    set scope = coalesce(h.scopes[1], 'pool')
    from unnest(settling) k (id)
    left join (
      select x.person_id, array_agg(x.scope order by x.scope) as scopes
      from app.homes_of(settling) x
      group by 1
    ) h on h.person_id = k.id
    where p.id = k.id;
    insert into pool_person (lead_id, scope, person_id)
    select distinct r.lead_id, p.scope, p.id
    from unnest(settling) k (id)
    join person p on p.id = k.id
    join run r on r.person_id = p.id
    join lead l on l.id = r.lead_id and l.workspace_id is null
    where app.person_scope(r.workspace_id) = p.scope
    on conflict do nothing;
    for one in
      select h.person_id, array_agg(h.scope order by h.scope) as scopes
      from app.homes_of(settling) h
      group by 1
      having count(*) > 1
      order by 1
    loop
      if one.person_id = any (doubtful) then
        doubtful := doubtful || app.divide_person(one.person_id, one.scopes);
      else
        perform app.divide_person(one.person_id, one.scopes);
      end if;
    end loop;
    update person_alias a
    set scope = p.scope
    from person p
    where a.scope = '' and a.person_id = any (settling) and p.id = a.person_id;
    perform app.split_person(p.id, null, 'upgrade')
    from person p
    where p.id = any (doubtful) and p.scope <> 'pool'
    order by p.id;
    return cardinality(settling);
  end $$;

-- By which database functions of this version come into force: nobody is found by an alias before it has its scope.
alter function app.settle_scopes() owner to outrider_definer;
revoke execute on function app.settle_scopes() from public;
grant execute on function app.settle_scopes() to outrider_owner;
