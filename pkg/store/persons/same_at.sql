-- Returns the persons who hear of what p_person told the account: those of app.persons_at, and those of other agencies
-- that are linked to it, whom the account has not met yet: who have a lead under the same profile, which is one human
-- (pkg/domain/same-person.ts), or, of a mailbox, at an address to which it wrote, whatever profile anybody pairs with
-- that. By id. It asks for no right: only functions that have asked call it.
create or replace function app.same_at(p_account text, p_person uuid) returns setof uuid
  language sql stable rows 1 security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    with scopes as materialized (
      select app.person_scope(k.workspace_id) as scope
      from account_link k
      where k.account_id = p_account
    )
    select x.id from app.persons_at(p_account, p_person) as x (id)
    union
    select o.person_id
    from person_alias a
    join person_alias o on o.kind = a.kind and o.value = a.value
    where a.person_id = p_person
      and a.kind = 'profile'
      and o.scope in (select s.scope from scopes s)
    union
    select o.person_id
    from person_alias a
    join person_alias o on o.kind = a.kind and o.value = a.value and o.person_id <> a.person_id
    where a.person_id = p_person
      and a.kind = 'mail'
      and o.scope in (select s.scope from scopes s)
      and exists (select 1 from network_account n where n.id = p_account and n.kind = 'mail')
      and (app.wrote_to(p_account, p_person, a.value) or app.wrote_to(p_account, o.person_id, a.value))
    order by 1
  $$;

alter function app.same_at(text, uuid) owner to outrider_definer;
revoke execute on function app.same_at(text, uuid) from public;
