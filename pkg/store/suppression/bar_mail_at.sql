-- Keeps that a person asked a mailbox to stop in the workspaces of the other agencies that are linked to it: by the
-- hashes of the addresses to which it wrote, so that whom they import later is left alone too, and nobody learns an
-- address that they do not have. p_now: epoch ms, product time; p_reason and p_by as in the exclusion. Only functions
-- that have asked call it.
create or replace function app.bar_mail_at(
  p_now bigint, p_account text, p_person uuid, p_reason text, p_by text
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select app.bar_alias_in(l.workspace_id, 'mail', h, p_reason, p_by, p_now)
    from app.written_hashes(p_account, p_person) h
    join person p on p.id = p_person and p.scope <> ''
    join account_link l on l.account_id = p_account and app.person_scope(l.workspace_id) <> p.scope
  $$;

alter function app.bar_mail_at(bigint, text, uuid, text, text) owner to outrider_definer;
revoke execute on function app.bar_mail_at(bigint, text, uuid, text, text) from public;
