-- Says whether somebody with this profile may be this person: two profiles disprove it (same-person.ts). True for a
-- profile that is null and for a person whose profile is not known.
create or replace function app.fits_profile(p_person uuid, p_profile text) returns boolean
  language sql stable
  as $$
    select p_profile is null
      or not exists (
        select 1
        from person_alias a
        where a.person_id = p_person and a.kind = 'profile' and a.value <> p_profile
      )
      or exists (
        select 1
        from person_alias a
        where a.person_id = p_person and a.kind = 'profile' and a.value = p_profile
      )
  $$;

grant execute on function app.fits_profile(uuid, text) to outrider_definer;
