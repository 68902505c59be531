-- Returns the persons behind profile ids, for account sync: only those with whom a workspace of the account deals (a
-- run) or whom the account contacted, of each agency its own. No rows where the caller may not use the account.
create or replace function app.persons_of(p_account text, p_profiles text[])
  returns table (profile_id text, person_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select a.value, a.person_id
    from person_alias a
    where a.kind = 'profile'
      and a.value = any (p_profiles)
      and app.may_use_account(p_account)
      and (
        exists (
          select 1
          from run r
          join account_link l on l.workspace_id = r.workspace_id and l.account_id = p_account
          where r.person_id = a.person_id
        )
        or exists (select 1 from contact_log g where g.person_id = a.person_id and g.account_id = p_account)
      )
  $$;

alter function app.persons_of(text, text[]) owner to outrider_definer;
revoke execute on function app.persons_of(text, text[]) from public;
grant execute on function app.persons_of(text, text[]) to outrider_app, outrider_executor, outrider_owner;
