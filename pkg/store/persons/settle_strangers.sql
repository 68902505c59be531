-- Gives leads whom nobody of their agency knows a new person each, all in one statement: those that have no person yet,
-- by none of whose identities (profile, mails) anybody is known, and that share none with another lead of the call.
-- p_leads, p_workspace, p_now: as app.resolve_persons, the caller, which holds the locks of their identities. Returns
-- whom it settled; the others are left to the caller. Locks: the leads, in the order of ids.
create or replace function app.settle_strangers(p_workspace text, p_leads uuid[], p_now bigint) returns uuid[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  declare
    strangers uuid[];
    settled uuid[];
  begin
    strangers := array(
      select x.id
      from lead x
      where x.id = any (p_leads)
        and x.person_id is null
        and not exists (select 1 from pool_person m where m.lead_id = x.id)
      order by x.id for no key update of x
    );
    with homes as materialized (
      select d.id, app.person_scope(d.id) as scope
      from (
        select distinct coalesce(x.workspace_id, p_workspace) as id
        from lead x
        where x.id = any (strangers)
      ) d
      where app.may_use(d.id)
    ),
    mine as materialized (
      select
        x.id,
        x.workspace_id,
        h.scope,
        x.profile_id,
        app.person_mails(x.email, x.profile_id) as mails,
        gen_random_uuid() as person
      from lead x
      join homes h on h.id = coalesce(x.workspace_id, p_workspace)
      where x.id = any (strangers) and x.person_id is null
    ),
    named as materialized (
      select m.id, m.scope, 'profile' as kind, m.profile_id as value from mine m where m.profile_id is not null
      union
      select m.id, m.scope, 'mail', v.value from mine m cross join lateral unnest(m.mails) v (value)
    ),
    met as materialized (
      select n.id
      from named n
      where exists (
        select 1
        from person_alias a
        where a.scope = n.scope and a.kind = n.kind and a.value = n.value
        offset 0
      )
      union
      select n.id
      from (select scope, kind, value from named group by 1, 2, 3 having count(*) > 1) d
      join named n on n.scope = d.scope and n.kind = d.kind and n.value = d.value
    ),
    alone as materialized (
      select m.* from mine m where m.id not in (select id from met)
    ),
    made as (
      insert into person (id, scope, created_at)
      select a.person, a.scope, p_now from alone a
    ),
    known as (
      insert into person_alias (scope, kind, value, person_id)
      select n.scope, n.kind, n.value, a.person
      from alone a
      join named n on n.id = a.id
      on conflict do nothing
    ),
    pooled as (
      insert into pool_person (lead_id, scope, person_id)
      select a.id, a.scope, a.person
      from alone a
      where a.workspace_id is null
    ),
    own as (
      update lead l
      set person_id = a.person
      from alone a
      where l.id = a.id and a.workspace_id is not null
    )
    select array_agg(a.id) into settled from alone a;
    return coalesce(settled, '{}');
  end $$;

alter function app.settle_strangers(text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.settle_strangers(text, uuid[], bigint) from public;
