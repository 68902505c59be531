-- Gives new and changed leads their company and their person, in one write per lead. It makes the persons together
-- whose profile and mail address nobody of the agency shares; a lead that shares one with somebody known goes through
-- app.resolve_persons, one by one. Leads of the pool get no person here: they are somebody to those who ask. The
-- import of a file calls it with up to 1,000 leads at once.
-- p_leads: leads of the caller's workspaces or of the pool; others are passed over. p_now: epoch ms UTC, product
-- time. Locks: the identities (app.lock_identities; it waits for none, and raises 55P03
-- where one is another transaction's), then leads.
create or replace function app.complete_leads(p_leads uuid[], p_now bigint) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
  begin
    perform app.make_companies(p_leads, p_now);
    -- These are the locks of app.resolve_persons. Most of them the import has already (app.try_identities).
    perform app.lock_identities(null, p_leads, false);
    with homes as materialized (
      select d.workspace_id, app.person_scope(d.workspace_id) as scope
      from (select distinct x.workspace_id from lead x where x.id = any (p_leads)) d
      -- Asked once per workspace, not per lead.
      where d.workspace_id is not null and app.may_use(d.workspace_id)
    ),
    mine as materialized (
      select
        x.id,
        x.person_id,
        x.profile_id,
        case
          when not (x.profile_id is not null and app.is_role_mail(x.email)) then app.mail_hash(x.email)
        end as mail,
        app.mail_hashes(x.email) as mails,
        x.erased_at,
        x.company_id,
        s.scope,
        coalesce(x.workspace_id, '') as ws,
        x.company_domain as domain,
        case when x.company_domain = '' then x.company_key else '' end as key
      from lead x
      left join homes s on s.workspace_id = x.workspace_id
      where x.id = any (p_leads) and (x.workspace_id is null or s.scope is not null)
    ),
    counted as (
      select
        m.*,
        count(m.profile_id) over (partition by m.scope, m.profile_id) as same_profile,
        count(m.mail) over (partition by m.scope, m.mail) as same_mail
      from mine m
    ),
    fresh as materialized (
      select c.id, c.scope, c.profile_id, c.mail, gen_random_uuid() as person_id
      from counted c
      where c.person_id is null
        and c.scope is not null
        and (c.profile_id is null or c.same_profile = 1)
        and (c.mail is null or c.same_mail = 1 and cardinality(c.mails) = 1)
        -- One at a time by index, whatever the planner guesses of a table of which an agency may have most.
        and (
          select a.person_id
          from person_alias a
          where a.scope = c.scope and a.kind = 'profile' and a.value = c.profile_id
        ) is null
        and (
          select a.person_id
          from person_alias a
          where a.scope = c.scope and a.kind = 'mail' and a.value = c.mail
        ) is null
    ),
    made as (insert into person (id, scope, created_at) select f.person_id, f.scope, p_now from fresh f),
    known as (
      insert into person_alias (scope, kind, value, person_id)
      select f.scope, 'profile', f.profile_id, f.person_id
      from fresh f
      where f.profile_id is not null
      union all
      select f.scope, 'mail', f.mail, f.person_id
      from fresh f
      where f.mail is not null
      -- Somebody else's import knows them since a moment ago: app.resolve_persons finds whose they are.
      on conflict do nothing
    ),
    found as materialized (
      select g.ws, g.domain, g.key, app.company_of(g.ws, g.domain, g.key) as company_id
      from (select distinct m.ws, m.domain, m.key from mine m) g
    ),
    wanted as (
      select
        m.id,
        case when m.erased_at is null then g.company_id else m.company_id end as company_id,
        f.person_id
      from mine m
      left join fresh f on f.id = m.id
      left join found g on g.ws = m.ws and g.domain = m.domain and g.key = m.key
    )
    -- A lead whose person is known keeps them as they are at this moment: others may merge them meanwhile.
    update lead l
    set company_id = w.company_id, person_id = coalesce(l.person_id, w.person_id)
    from wanted w
    where l.id = w.id
      and (l.company_id is distinct from w.company_id or l.person_id is null and w.person_id is not null);
    perform app.resolve_persons(p_leads, p_now);
  end $$;

alter function app.complete_leads(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.complete_leads(uuid[], bigint) from public;
grant execute on function app.complete_leads(uuid[], bigint) to outrider_app;
