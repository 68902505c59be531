-- Keeps that a person asked the account to stop where an agency that is linked to it does not know them yet: by their
-- profile, so that whom it imports later is left alone too. Agencies that know them have an exclusion of the person.
-- p_now: epoch ms, product time; p_reason and p_by as in the exclusion. Only functions that have asked call it.
create or replace function app.bar_profile_at(
  p_now bigint, p_account text, p_person uuid, p_reason text, p_by text
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select app.bar_alias_in(k.workspace_id, 'profile', a.value, p_reason, p_by, p_now)
    from account_link k
    join person p on p.id = p_person and p.scope <> ''
    join person_alias a on a.person_id = p.id and a.kind = 'profile'
    where k.account_id = p_account
      and not exists (
        select 1
        from app.same_at(p_account, p_person) as x (id)
        join person o on o.id = x.id
        where o.scope = app.person_scope(k.workspace_id)
      )
  $$;

alter function app.bar_profile_at(bigint, text, uuid, text, text) owner to outrider_definer;
revoke execute on function app.bar_profile_at(bigint, text, uuid, text, text) from public;
