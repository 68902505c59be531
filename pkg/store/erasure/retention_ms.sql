-- Returns for how long (ms) a workspace keeps what was deleted (settings.retentionDays); null: for good.
create or replace function app.retention_ms(p_settings jsonb) returns bigint
  language sql immutable
  as $$ select (p_settings ->> 'retentionDays')::bigint * 86400000 $$;

grant execute on function app.retention_ms(jsonb) to outrider_app, outrider_definer;
