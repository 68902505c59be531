-- A number of a campaign's contact policy, with its default (catalog: contact policy).
create or replace function app.policy_days(p_settings jsonb, p_field text, p_default int) returns int
  language sql immutable
  as $$ select coalesce((p_settings -> 'contactPolicy' ->> p_field)::int, p_default) $$;

grant execute on function app.policy_days(jsonb, text, int) to outrider_app, outrider_definer, outrider_executor;
