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
    insert into suppression (
      id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at
    )
    select
      gen_random_uuid(), l.workspace_id, 'workspace', 'mail', h.value, 'unsubscribe', p_reason,
      app.is_removable('unsubscribe'), p_by, p_now
    from (
      select distinct m.value
      from send_key k
      join send s on s.id = k.send_id
      cross join lateral unnest(app.mail_hashes(s.target ->> 'to')) as m (value)
      where k.person_id = p_person and s.account_id = p_account and s.action = 'mail'
    ) h
    join person p on p.id = p_person and p.scope <> ''
    join account_link l on l.account_id = p_account and app.person_scope(l.workspace_id) <> p.scope
    where not exists (
      select 1
      from suppression x
      where x.kind = 'mail'
        and x.value = h.value
        and x.workspace_id = l.workspace_id
        and x.source = 'unsubscribe'
    )
  $$;

alter function app.bar_mail_at(bigint, text, uuid, text, text) owner to outrider_definer;
revoke execute on function app.bar_mail_at(bigint, text, uuid, text, text) from public;
