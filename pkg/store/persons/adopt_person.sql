-- Gives a person that belongs to nobody yet to the agency or workspace whose lead they are; others keep
-- theirs. A program of the version before may still make such persons while an upgrade rolls.
create or replace function app.adopt_person(p_person uuid, p_scope text) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with settled as (
      update person p
      set scope = p_scope
      where p.id = p_person and p.scope = ''
      returning p.id
    )
    update person_alias a
    set scope = p_scope
    from settled s
    where a.person_id = s.id
      and a.scope = ''
      and not exists (
        select 1
        from person_alias o
        where o.scope = p_scope and o.kind = a.kind and o.value = a.value
      )
  $$;

alter function app.adopt_person(uuid, text) owner to outrider_definer;
revoke execute on function app.adopt_person(uuid, text) from public;
