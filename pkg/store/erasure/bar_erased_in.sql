-- Keeps in a workspace, as salted hashes, what its own records of a person say whom the platform erased: the person is
-- not entered again there. In '' the hashes name the newest certificate that names them (app.certificate_of).
-- p_identities: as identitiesOf makes them; p_now: epoch ms UTC, product time. Does nothing unless the caller is the
-- platform.
create or replace function app.bar_erased_in(
  p_workspace text, p_identities text[], p_certificate uuid, p_now bigint
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    insert into erasure_tombstone (workspace_id, hash, reason, erased_at, certificate_id)
    select p_workspace, app.erasure_hash(p_workspace, i), 'data_subject_request', p_now, p_certificate
    from unnest(p_identities) i
    where app.is_platform()
    on conflict (workspace_id, hash) do update set certificate_id = excluded.certificate_id
    where erasure_tombstone.workspace_id = ''
  $$;

alter function app.bar_erased_in(text, text[], uuid, bigint) owner to outrider_definer;
revoke execute on function app.bar_erased_in(text, text[], uuid, bigint) from public;
grant execute on function app.bar_erased_in(text, text[], uuid, bigint) to outrider_app;
