-- Returns the addresses (in one form, app.mail_identity) of the mailboxes of all workspaces of the account, itself
-- included: what comes from them is no lead's word. Nothing where the caller may not use the account.
create or replace function app.own_mailboxes(p_account text) returns table (account_id text, address text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct m.account_id, coalesce(app.mail_identity(m.address), lower(m.address))
    from account_link l
    join account_link o on o.workspace_id = l.workspace_id
    join mailbox m on m.account_id = o.account_id
    where l.account_id = p_account and app.may_use_account(p_account)
  $$;

alter function app.own_mailboxes(text) owner to outrider_definer;
revoke execute on function app.own_mailboxes(text) from public;
grant execute on function app.own_mailboxes(text) to outrider_executor;
