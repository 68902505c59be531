-- Returns what a vendor granted for a mailbox that its API opens: `sealed`: credentials, sealed for the owner
-- integration:<account>; `url`: its API, '' the usual one; `needs_auth`: its owner has to allow it anew. No row: it is
-- opened by its own password. Only of accounts that the caller may use.
create or replace function app.mailbox_grant(p_account text)
  returns table (sealed bytea, url text, needs_auth boolean)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select i.sealed, i.url, i.status = 'needs_auth'
    from integration i
    where i.id = p_account and i.deleted_at is null and app.may_use_account(p_account)
  $$;

alter function app.mailbox_grant(text) owner to outrider_definer;
revoke execute on function app.mailbox_grant(text) from public;
grant execute on function app.mailbox_grant(text) to outrider_app, outrider_executor;
