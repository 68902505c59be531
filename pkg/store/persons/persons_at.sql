-- Returns the persons who are one human to an account: p_person, and those of other agencies that the account met
-- under the same id of the network. What an account must prove (requests, relations, replies) is about all of them.
-- By id. It asks for no right: only functions that have asked call it.
create or replace function app.persons_at(p_account text, p_person uuid) returns setof uuid
  language sql stable rows 1 security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select p_person
    union
    select o.person_id
    from relation r
    join relation o on o.account_id = r.account_id and o.provider_id = r.provider_id
    where r.account_id = p_account and r.person_id = p_person and r.provider_id <> ''
    order by 1
  $$;

alter function app.persons_at(text, uuid) owner to outrider_definer;
revoke execute on function app.persons_at(text, uuid) from public;
