-- Returns which of these sends, known by the Message-IDs of mails in the account's Sent folder, the ledger lacks: if
-- it lacks any, it is older than what was sent. A mail that a reconciliation took over may have no send, only its
-- key. Nothing for an account that the caller may not use.
create or replace function app.lacking_mails(p_account text, p_sends uuid[]) returns setof uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select x.id
    from unnest(p_sends) as x (id)
    where app.may_use_account(p_account)
      and not exists (select 1 from send s where s.id = x.id)
      and not exists (select 1 from send_key k where k.send_id = x.id)
  $$;

alter function app.lacking_mails(text, uuid[]) owner to outrider_definer;
revoke execute on function app.lacking_mails(text, uuid[]) from public;
grant execute on function app.lacking_mails(text, uuid[]) to outrider_app, outrider_executor, outrider_owner;
