-- Records that a person accepted p_account's request, or was found connected, at p_at: for each agency that met the
-- human under the same id of the account's network its own person (app.persons_at, app.hear_acceptance).
-- p_now, p_at: product time, epoch ms. p_person: also one that was merged into another meanwhile. p_provider_id: the
-- provider's id of the person; null keeps what is known. Returns how many runs it told: 0 when the acceptance is
-- known, and for an account that the caller may not use. Locks: per person, in order of their ids, as
-- app.hear_acceptance.
create or replace function app.record_acceptance(
  p_now bigint, p_account text, p_person uuid, p_provider_id text, p_at bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    who uuid;
    told int := 0;
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    -- Whom the account knows under the same id stands with the person of now, to whom a merge took the relation.
    p_person := coalesce(app.person_now(p_person), p_person);
    for who in
      select x.id
      from (
        select p_person as id
        union
        select r.person_id
        from relation r
        where r.account_id = p_account and r.provider_id = p_provider_id and p_provider_id <> ''
        union
        select o.id
        from app.persons_at(p_account, p_person) as o (id)
        join person p on p.id = o.id and p.merged_into is null
      ) x
      order by 1
    loop
      told := told + app.hear_acceptance(p_now, p_account, who, p_provider_id, p_at);
    end loop;
    return told;
  end $$;

alter function app.record_acceptance(bigint, text, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.record_acceptance(bigint, text, uuid, text, bigint) from public;
grant execute on function app.record_acceptance(bigint, text, uuid, text, bigint)
  to outrider_app, outrider_executor, outrider_owner;
