-- Ends pending requests of p_account to these persons that the provider's list lacks without a connection (declined,
-- withdrawn by hand, expired). The key of each request stays taken, so that nobody is asked twice by this. For
-- account sync under the account's lease, of lists that it read whole; it does nothing for other callers.
create or replace function app.request_gone(p_account text, p_persons uuid[]) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    update relation
    set state = 'none', invitation_id = null, requested_at = null
    where account_id = p_account
      and person_id = any (p_persons)
      and state = 'pending'
      and app.account() = p_account
  $$;

alter function app.request_gone(text, uuid[]) owner to outrider_definer;
revoke execute on function app.request_gone(text, uuid[]) from public;
grant execute on function app.request_gone(text, uuid[]) to outrider_app, outrider_executor, outrider_owner;
