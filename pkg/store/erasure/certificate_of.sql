-- Returns the certificate of the person whom the platform erased under one of these identities (as app.bar_erased
-- keeps them), the first one; null when there is none, and unless the caller is the platform.
create or replace function app.certificate_of(p_identities text[]) returns uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select t.certificate_id
    from erasure_tombstone t
    where app.is_platform()
      and t.workspace_id = ''
      and t.certificate_id is not null
      and t.hash = any (array(select app.erasure_hash('', i) from unnest(p_identities) i))
    order by t.erased_at, t.certificate_id limit 1
  $$;

alter function app.certificate_of(text[]) owner to outrider_definer;
revoke execute on function app.certificate_of(text[]) from public;
grant execute on function app.certificate_of(text[]) to outrider_app;
