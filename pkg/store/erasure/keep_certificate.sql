-- Keeps a signed certificate. p_kind: erasure or workspace_deletion; p_subject: id of the workspace, '' for a person;
-- p_body: what was signed; p_now: epoch ms UTC, product time. A workspace's is kept once. Does nothing unless the
-- caller is the platform.
create or replace function app.keep_certificate(
  p_id uuid, p_kind text, p_subject text, p_body text, p_signature text, p_now bigint
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    insert into certificate (id, kind, subject, body, signature, made_at)
    select p_id, p_kind, p_subject, p_body, p_signature, p_now
    where app.is_platform()
    on conflict do nothing
  $$;

alter function app.keep_certificate(uuid, text, text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.keep_certificate(uuid, text, text, text, text, bigint) from public;
grant execute on function app.keep_certificate(uuid, text, text, text, text, bigint) to outrider_app;
