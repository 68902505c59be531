-- Returns the salted hash under which an identity is kept, another one in each workspace. It recognises a person who
-- comes back, and tells nobody who it was.
create or replace function app.erasure_hash(p_workspace text, p_identity text) returns bytea
  language sql stable security definer
  set search_path = app, pg_catalog
  as $$
    select sha256(s.salt || convert_to(p_workspace || '|' || p_identity, 'UTF8'))
    from app.erasure_salt s
  $$;

alter function app.erasure_hash(text, text) owner to outrider_definer;
revoke execute on function app.erasure_hash(text, text) from public;
