-- The scoreMin in a campaign's settings; 50 without one (catalog: defaults.score).
create or replace function app.score_min(p_settings jsonb) returns double precision
  language sql immutable
  as $$ select coalesce((p_settings ->> 'scoreMin')::float8, 50) $$;

revoke execute on function app.score_min(jsonb) from public;
grant execute on function app.score_min(jsonb) to outrider_definer;
