-- Says whether a profile of the person is known.
create or replace function app.has_profile(p_person uuid) returns boolean
  language sql stable
  as $$ select exists (select 1 from person_alias a where a.person_id = p_person and a.kind = 'profile') $$;

grant execute on function app.has_profile(uuid) to outrider_definer;
