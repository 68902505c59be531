-- Whether an action reaches a person: it takes the longer gaps (catalog: pacing) and counts as contact (catalog: contact policy).
create or replace function app.is_heavy(p_action text) returns boolean
  language sql immutable
  as $$ select p_action in ('connection_request', 'message', 'inmail', 'comment', 'mail') $$;

grant execute on function app.is_heavy(text) to outrider_app, outrider_definer, outrider_executor;
