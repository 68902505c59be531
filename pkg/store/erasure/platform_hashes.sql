-- Returns the salted hashes under which the platform keeps identities of erased persons, for certificates. Empty
-- unless the caller is the platform.
create or replace function app.platform_hashes(p_identities text[]) returns setof bytea
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$ select app.erasure_hash('', i) from unnest(p_identities) i where app.is_platform() $$;

alter function app.platform_hashes(text[]) owner to outrider_definer;
revoke execute on function app.platform_hashes(text[]) from public;
grant execute on function app.platform_hashes(text[]) to outrider_app;
