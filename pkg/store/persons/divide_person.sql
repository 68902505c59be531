-- Makes a person with whom several agencies (else workspaces) deal a person of each: p_homes[1] keeps the id. Leads,
-- runs, send keys, claims and exclusions stay with the workspace that wrote them, and aliases with those whose leads
-- show them. Exclusions of the platform bind each of them. Returns the persons, in the order of p_homes.
create or replace function app.divide_person(p_person uuid, p_homes text[]) returns uuid[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    sure boolean;
    shown jsonb;
    home text;
    made uuid;
    persons uuid[] := array[p_person];
  begin
    sure := (select count(*) <= 1 from person_alias a where a.person_id = p_person and a.kind = 'profile');
    select jsonb_agg(to_jsonb(s)) into shown from app.shown_aliases(p_person, p_homes) s;
    foreach home in array p_homes[2:] loop
      made := gen_random_uuid();
      insert into person (id, scope, created_at)
      select made, home, p.created_at
      from person p
      where p.id = p_person;
      insert into person_alias (scope, kind, value, person_id)
      select home, a.kind, a.value, made
      from jsonb_to_recordset(shown) as a (scope text, kind text, value text)
      where a.scope = home
      on conflict do nothing;
      perform app.move_person(w.id, null, p_person, made, sure)
      from workspace w
      where app.person_scope(w.id) = home;
      update suppression x
      set person_id = made, value = case when x.kind = 'person' then made::text else x.value end
      where x.person_id = p_person and x.level = 'agency' and 'agency:' || x.agency_id = home;
      insert into suppression (
        id, workspace_id, agency_id, campaign_id, level, kind, value, person_id, applies_to, source, reason,
        removable, created_by, created_at, expires_at
      )
      select
        gen_random_uuid(), x.workspace_id, x.agency_id, x.campaign_id, x.level, x.kind,
        case when x.kind = 'person' then made::text else x.value end, made, x.applies_to, x.source, x.reason,
        x.removable, x.created_by, x.created_at, x.expires_at
      from suppression x
      where x.person_id = p_person and x.level = 'platform';
      persons := persons || made;
    end loop;
    delete from person_alias a
    where a.person_id = p_person
      and not exists (
        select 1
        from jsonb_to_recordset(shown) as k (scope text, kind text, value text)
        where k.scope = p_homes[1] and k.kind = a.kind and k.value = a.value
      );
    return persons;
  end $$;

alter function app.divide_person(uuid, text[]) owner to outrider_definer;
revoke execute on function app.divide_person(uuid, text[]) from public;
