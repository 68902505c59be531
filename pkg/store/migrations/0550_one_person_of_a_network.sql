-- For an account, an id of its network is one human. Who is a lead twice under two addresses of the profile (one was changed, or a scraper gave
-- the number of the member instead of the name) was two persons, since two profiles disprove that they are one, and received every message twice.
-- Whoever learns that both have the same id unites them, before a message that was prepared for the second one is dispatched.
-- What an account meets for the first time costs one more look into an index.
set local search_path = outrider, app, public;

create function app.unite_by_provider_id() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
  declare
    known uuid := new.person_id;
    other uuid;
  begin
    -- Who was merged already (and whose relations are being moved just now) is no other person.
    for other in
      select r.person_id from relation r join person p on p.id = r.person_id and p.merged_into is null
        join person n on n.id = new.person_id and n.merged_into is null
      where r.account_id = new.account_id and r.provider_id = new.provider_id and r.person_id <> new.person_id order by 1
    loop
      perform app.merge_person(greatest(known, other), least(known, other));
      known := least(known, other);
    end loop;
    return null;
  end $$;
alter function app.unite_by_provider_id() owner to outrider_definer;
revoke execute on function app.unite_by_provider_id() from public;

create trigger relation_met after insert on outrider.relation for each row
  when (new.provider_id <> '') execute function app.unite_by_provider_id();
create trigger relation_met_anew after update of provider_id on outrider.relation for each row
  when (new.provider_id <> '' and new.provider_id is distinct from old.provider_id) execute function app.unite_by_provider_id();

-- Those whom accounts have met before.
do $$
declare twice record;
begin
  for twice in
    select array_agg(r.person_id order by r.person_id) as persons from outrider.relation r join outrider.person p on p.id = r.person_id and p.merged_into is null
    where r.provider_id <> '' group by r.account_id, r.provider_id having count(*) > 1
  loop
    perform app.merge_person(other, (select coalesce(p.merged_into, p.id) from outrider.person p where p.id = twice.persons[1]))
      from unnest(twice.persons[2:]) other where exists (select 1 from outrider.person p where p.id = other and p.merged_into is null);
  end loop;
end $$;
