-- Trigger of workspace: one that changes its agency takes its persons along. What it did to them, and the aliases by
-- which its leads are known, belong to the new agency from now on; who is known there already is one with them
-- (app.unite_persons: the stricter claim wins), unless different profiles disprove it. The old agency keeps the
-- persons with whom another of its workspaces deals, and its exclusions. The journal (person_merge) has it.
create or replace function app.move_to_agency() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    was text := coalesce('agency:' || nullif(old.agency_id, ''), 'workspace:' || old.id);
    home text := app.person_scope(new.id);
    one record;
    made uuid;
    known uuid;
  begin
    if was = home then return null; end if;
    lock table person_alias in share row exclusive mode;
    for one in
      select p.id, p.created_at
      from person p
      where p.scope = was
        and p.merged_into is null
        and (
          was = 'workspace:' || new.id
            and exists (
              select 1
              from person_alias a
              join person_alias o on o.scope = home and o.kind = a.kind and o.value = a.value
              where a.person_id = p.id
            )
          or was <> 'workspace:' || new.id
            and (
              exists (select 1 from lead l where l.person_id = p.id and l.workspace_id = new.id)
              or exists (select 1 from run r where r.person_id = p.id and r.workspace_id = new.id)
              or exists (select 1 from send_key k where k.person_id = p.id and k.workspace_id = new.id)
              or exists (select 1 from suppression s where s.person_id = p.id and s.workspace_id = new.id)
            )
        )
      order by p.id
    loop
      made := one.id;
      if was <> 'workspace:' || new.id then
        made := gen_random_uuid();
        insert into person (id, scope, created_at) values (made, home, one.created_at);
        insert into person_alias (scope, kind, value, person_id)
        select home, s.kind, s.value, made
        from app.shown_aliases(one.id, array[home]) s
        on conflict do nothing;
        insert into person_merge (scope, from_person, into_person, evidence, carried)
        values (
          home,
          one.id,
          made,
          jsonb_build_object('kind', 'agency', 'workspaceId', new.id, 'from', was),
          '{"leads": [], "aliases": []}'
        );
      end if;
      for known in
        select distinct o.person_id
        from app.shown_aliases(one.id, array[home]) a
        join person_alias o on o.scope = home and o.kind = a.kind and o.value = a.value
        where o.person_id <> made
        order by 1
      loop
        if made = one.id then
          update person set scope = home where id = one.id;
          delete from person_alias a
          where a.person_id = one.id
            and exists (
              select 1
              from person_alias o
              where o.scope = home and o.kind = a.kind and o.value = a.value and o.person_id <> one.id
            );
          update person_alias set scope = home where person_id = one.id;
        else
          perform app.move_person(new.id, null, one.id, made, true);
        end if;
        perform app.unite_persons(
          known, made, jsonb_build_object('kind', 'agency', 'workspaceId', new.id, 'from', was)
        );
      end loop;
      if made <> one.id then
        perform app.move_person(new.id, null, one.id, app.person_now(made), true);
      end if;
    end loop;
    if was = 'workspace:' || new.id then
      delete from person_alias a
      where a.scope = was
        and exists (
          select 1
          from person_alias o
          where o.scope = home and o.kind = a.kind and o.value = a.value
        );
      update person_alias a
      set scope = home
      from person p
      where p.id = a.person_id and p.scope = was and a.scope = was;
      update person set scope = home where scope = was;
      delete from pool_person m
      where m.scope = was
        and exists (select 1 from pool_person o where o.lead_id = m.lead_id and o.scope = home);
      update pool_person set scope = home where scope = was;
    end if;
    return null;
  end $$;

alter function app.move_to_agency() owner to outrider_definer;
revoke execute on function app.move_to_agency() from public;
