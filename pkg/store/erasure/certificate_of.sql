-- Returns the certificate of the person whom the platform erased under one of these identities (as app.bar_erased
-- keeps them), the first one, or by a proof that a workspace's own record held
-- (app.bar_erased_in: an address or a profile, no name); null when there is none, and unless the caller is the
-- platform.
create or replace function app.certificate_of(p_identities text[]) returns uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select t.certificate_id
    from erasure_tombstone t
    where app.is_platform()
      and t.certificate_id is not null
      and t.hash in (
        select app.erasure_hash(t.workspace_id, i)
        from unnest(p_identities) i
        where t.workspace_id = '' or i not like 'name:%'
      )
    order by t.workspace_id <> '', t.erased_at, t.certificate_id limit 1
  $$;

alter function app.certificate_of(text[]) owner to outrider_definer;
revoke execute on function app.certificate_of(text[]) from public;
grant execute on function app.certificate_of(text[]) to outrider_app;
