-- Returns which of these messages of the account are ours: the provider's reference and the run that sent it. Empty
-- where the caller may not use the account.
create or replace function app.own_messages(p_account text, p_refs text[]) returns table (ref text, run_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select s.provider_ref, s.run_id
    from send s
    where s.account_id = p_account
      and s.provider_ref = any (p_refs)
      and app.may_use_account(p_account)
  $$;

alter function app.own_messages(text, text[]) owner to outrider_definer;
revoke execute on function app.own_messages(text, text[]) from public;
grant execute on function app.own_messages(text, text[]) to outrider_executor, outrider_owner;
