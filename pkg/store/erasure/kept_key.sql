-- Returns under what the record of a call is kept whose caller gave this key: the key, or, where it named a person who
-- was erased since (erased_key), its salted hash. So the same key again is the same call, and the name stays away.
create or replace function app.kept_key(p_key text) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (select k.hash from erased_key k where k.hash = 'erased:' || encode(app.erasure_hash('word', p_key), 'hex')),
      p_key
    )
  $$;

alter function app.kept_key(text) owner to outrider_definer;
revoke execute on function app.kept_key(text) from public;
grant execute on function app.kept_key(text) to outrider_app;
