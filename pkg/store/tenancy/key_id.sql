-- Returns the key's id for which a name of a window stands; null for names that are no id (a key in a workspace, a
-- key's sessions).
create or replace function app.key_id(p_key text) returns uuid
  language sql immutable
  as $$ select case when p_key ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then p_key::uuid end $$;

grant execute on function app.key_id(text) to outrider_app, outrider_definer;
