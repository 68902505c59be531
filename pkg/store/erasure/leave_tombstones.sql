-- Keeps the identities of an erased person (mail:<address>, profile:<id>, name:<key>, as identitiesOf makes them) as
-- salted hashes, and nothing else. Source: catalog svc_erase_lead.
-- p_reason: data_subject_request, client_request or retention; p_now: epoch ms UTC, product time. It does nothing
-- where the caller may not use the workspace.
create or replace function app.leave_tombstones(
  p_workspace text, p_identities text[], p_reason text, p_now bigint
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    insert into erasure_tombstone (workspace_id, hash, reason, erased_at)
    select p_workspace, app.erasure_hash(p_workspace, i), p_reason, p_now
    from unnest(p_identities) i
    where app.may_use(p_workspace)
    on conflict do nothing
  $$;

alter function app.leave_tombstones(text, text[], text, bigint) owner to outrider_definer;
revoke execute on function app.leave_tombstones(text, text[], text, bigint) from public;
grant execute on function app.leave_tombstones(text, text[], text, bigint) to outrider_app;
