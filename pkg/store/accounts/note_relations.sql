-- Keeps what look-ups of profiles said, for a batch. It never takes a connection or a request back, and a person whom
-- it finds connected counts as app.record_acceptance has it.
-- p_now: product time, epoch ms. p_rows: [{accountId, personId, providerId, state: none, pending or connected,
-- profileId: under which it was looked up}], each pair once. It passes over accounts that neither the lease's
-- workspace uses nor account sync holds, and asks for that once. Locks: persons who are newly connected, their runs
-- by id, then all relations by account and person.
create or replace function app.note_relations(p_now bigint, p_rows jsonb) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    met record;
    mine text[];
    who uuid[];
  begin
    select array_agg(x.id)
    into mine
    from (
      select l.account_id as id
      from account_link l
      where l.workspace_id = (select app.workspace())
        and l.account_id in (select q."accountId" from jsonb_to_recordset(p_rows) as q ("accountId" text))
      union
      select (select app.account())
    ) x
    where x.id is not null;
    -- It locks as app.settle_sends does: runs, then relations, all in one order; then it tells who is connected.
    who := array(
      select app.person_now(x.id)
      from (
        select distinct q."personId" as id
        from jsonb_to_recordset(p_rows) as q ("accountId" text, "personId" uuid, state text)
        where q.state = 'connected'
          and q."accountId" = any (mine)
          and not exists (
            select 1
            from relation r
            where r.account_id = q."accountId"
              and r.person_id = q."personId"
              and r.state = 'connected'
          )
        order by 1
      ) x
    );
    perform 1
    from run r
    where r.person_id = any (who) and r.ended_at is null and r.account_id = any (mine)
    order by r.id for no key update;
    insert into relation as r (account_id, person_id, provider_id, profile_id, state, requested_at)
    select
      q."accountId",
      q."personId",
      q."providerId",
      lower(q."profileId"),
      case q.state when 'pending' then 'pending' else 'none' end,
      case when q.state = 'pending' then p_now end
    from jsonb_to_recordset(p_rows) as q (
      "accountId" text, "personId" uuid, "providerId" text, state text, "profileId" text
    )
    where q."accountId" = any (mine)
    order by 1, 2
    on conflict (account_id, person_id) do update set
      provider_id = coalesce(excluded.provider_id, r.provider_id),
      profile_id = case
        when excluded.provider_id is null then r.profile_id
        when excluded.provider_id is distinct from r.provider_id then excluded.profile_id
        else coalesce(excluded.profile_id, r.profile_id)
      end,
      state = case when r.state = 'none' then excluded.state else r.state end,
      requested_at = coalesce(r.requested_at, excluded.requested_at);
    if cardinality(who) = 0 then return; end if;
    for met in
      select q.*
      from jsonb_to_recordset(p_rows) as q ("accountId" text, "personId" uuid, "providerId" text, state text)
      where q.state = 'connected'
        and q."accountId" = any (mine)
        and not exists (
          select 1
          from relation r
          where r.account_id = q."accountId"
            and r.person_id = q."personId"
            and r.state = 'connected'
        )
      order by q."personId"
    loop
      perform app.record_acceptance(p_now, met."accountId", met."personId", met."providerId", p_now);
    end loop;
  end $$;

alter function app.note_relations(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.note_relations(bigint, jsonb) from public;
grant execute on function app.note_relations(bigint, jsonb) to outrider_executor;
