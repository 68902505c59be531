-- Trigger of relation: for an account, an id of its network is one human, so that it unites the person who has the id
-- already with the one who gets it, within one agency; the smaller id stays. A person who is a lead twice, under two
-- addresses of one profile, so is one person before a message that was prepared for the second one is dispatched.
-- Two profiles are one only where the account looked each of them up and found this id (relation.profile_id).
create or replace function app.unite_by_provider_id() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare other record;
  begin
    -- A person who was merged already (and whose relations are being moved just now) is no other person.
    for other in
      select r.person_id, r.profile_id
      from relation r
      join person p on p.id = r.person_id and p.merged_into is null
      join person n on n.id = new.person_id and n.merged_into is null and n.scope = p.scope
      where r.account_id = new.account_id
        and r.provider_id = new.provider_id
        and r.person_id <> new.person_id
      order by 1
    loop
      perform app.unite_persons(
        new.person_id,
        other.person_id,
        jsonb_build_object(
          'kind', case when new.profile_id is null or other.profile_id is null then 'identity' else 'provider' end,
          'accountId', new.account_id,
          'providerId', new.provider_id,
          'profiles', jsonb_build_array(new.profile_id, other.profile_id)
        )
      );
    end loop;
    return null;
  end $$;

alter function app.unite_by_provider_id() owner to outrider_definer;
revoke execute on function app.unite_by_provider_id() from public;
