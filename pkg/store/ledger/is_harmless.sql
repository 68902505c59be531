-- Whether an action does no harm when nobody can know if it happened: it goes on as maybe and is never a second message (HARMLESS in
-- network-provider.ts).
create or replace function app.is_harmless(p_action text) returns boolean
  language sql immutable
  as $$ select p_action in ('profile_view', 'follow', 'like', 'endorse') $$;

grant execute on function app.is_harmless(text) to outrider_app, outrider_definer, outrider_executor;
