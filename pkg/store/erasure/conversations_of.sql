-- Returns the conversations with these persons, by the person or by the id that an account met one under: the one place
-- that says whose a conversation is when somebody is erased.
create or replace function app.conversations_of(p_persons uuid[]) returns setof uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select c.id from conversation c where c.person_id = any (p_persons)
    union
    select c.id
    from relation r
    join conversation c on c.account_id = r.account_id and c.provider_id = r.provider_id
    where r.person_id = any (p_persons) and r.provider_id <> ''
  $$;

alter function app.conversations_of(uuid[]) owner to outrider_definer;
revoke execute on function app.conversations_of(uuid[]) from public;
