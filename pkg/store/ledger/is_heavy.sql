-- The former name of app.is_contact.
create or replace function app.is_heavy(p_action text) returns boolean
  language sql immutable
  as $$ select app.is_contact(p_action) $$;

grant execute on function app.is_heavy(text) to outrider_app, outrider_definer, outrider_executor;
