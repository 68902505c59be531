-- Connects a mailbox for a workspace whose member knows its password or was let in by its vendor, or changes the one
-- that it has already, and links it: its inbox is read at once. The same address, in any case of its letters, is the
-- same mailbox, however it is opened; a pause stays.
-- `p_box`: {provider: smtp or gmail, accountId, address, displayName, smtpHost, smtpPort, smtpTls, imapHost, imapPort,
-- imapTls, username, reach, savesSent, sentFolder, timezone}; `p_sealed`: its password, sealed for the owner
-- mailbox:<accountId>, null: the integration of the same id has what opens it; `p_now`: epoch ms, product time.
-- Returns the account; null where the workspace is not the owner of the mailbox (app.account_owner), or the id is not
-- that of the mailbox.
-- Locks: the address, as an advisory lock.
create or replace function app.connect_own_mailbox(p_workspace text, p_box jsonb, p_sealed bytea, p_now bigint)
  returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    address text := p_box ->> 'address';
    account text := p_box ->> 'accountId';
    known text;
  begin
    if not app.may_use(p_workspace) then return null; end if;
    perform pg_advisory_xact_lock(hashtextextended('mailbox ' || lower(address), 0));
    select a.id
    into known
    from network_account a
    where a.kind = 'mail' and a.provider in ('smtp', 'gmail') and lower(a.external_id) = lower(address)
    order by a.created_at, a.id
    limit 1;
    if known is distinct from account and known is not null then return null; end if;
    -- Servers and password bind all that share it: a workspace that only shares it must not turn it to its own.
    if known is not null and app.account_owner(known) is distinct from p_workspace then return null; end if;
    insert into network_account (
      id, kind, provider, external_id, display_name, status, status_since, timezone, limits, created_at
    )
    values (
      account, 'mail', coalesce(p_box ->> 'provider', 'smtp'), address, p_box ->> 'displayName', 'ok', p_now,
      p_box ->> 'timezone', '{"mail": {"day": 40}}', p_now
    )
    on conflict (id) do update set
      provider = excluded.provider, display_name = excluded.display_name, status = 'ok';
    insert into mailbox (
      account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, sealed,
      saves_sent, sent_folder, reach
    )
    values (
      account, address, p_box ->> 'smtpHost', (p_box ->> 'smtpPort')::int, p_box ->> 'smtpTls', p_box ->> 'imapHost',
      (p_box ->> 'imapPort')::int, p_box ->> 'imapTls', p_box ->> 'username', p_sealed,
      (p_box ->> 'savesSent')::boolean, p_box ->> 'sentFolder', coalesce(p_box ->> 'reach', 'public')
    )
    on conflict (account_id) do update set
      smtp_host = excluded.smtp_host,
      smtp_port = excluded.smtp_port,
      smtp_tls = excluded.smtp_tls,
      imap_host = excluded.imap_host,
      imap_port = excluded.imap_port,
      imap_tls = excluded.imap_tls,
      username = excluded.username,
      sealed = excluded.sealed,
      saves_sent = excluded.saves_sent,
      sent_folder = excluded.sent_folder,
      reach = excluded.reach;
    insert into account_link (account_id, workspace_id, linked_at)
    values (account, p_workspace, p_now)
    on conflict do nothing;
    insert into account_wake (account_id, due_at)
    values (account, p_now)
    on conflict (account_id) do update set due_at = excluded.due_at, hinted = true;
    return account;
  end $$;

alter function app.connect_own_mailbox(text, jsonb, bytea, bigint) owner to outrider_definer;
revoke execute on function app.connect_own_mailbox(text, jsonb, bytea, bigint) from public;
grant execute on function app.connect_own_mailbox(text, jsonb, bytea, bigint) to outrider_app;
