-- Returns which of these leads of the workspace or the pool exclusions by these values meet, stored or not (p_kinds and
-- p_values side by side, in the form of exclusion-value.ts), by the forms that every check uses (app.exclusion_forms).
-- Nobody where the caller may not use the workspace.
create or replace function app.leads_met(p_workspace text, p_leads uuid[], p_kinds text[], p_values text[])
  returns setof uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
    with g as materialized (select * from unnest(p_kinds, p_values) as u (kind, value)),
    f as materialized (
      select x.*
      from app.exclusion_forms(
        p_workspace, app.leads_near(p_leads, p_kinds, p_values), array(select distinct kind from g)
      ) x
      where app.may_use(p_workspace)
    ),
    -- Who is known under the address or the profile, under whatever lead.
    persons as materialized (
      select distinct a.person_id
      from g
      join person_alias a
        on a.scope = app.person_scope(p_workspace)
          and (
            g.kind = 'mail' and a.kind = 'mail' and a.value = any (app.mail_hashes(g.value))
            or g.kind = 'profile' and a.kind = 'profile' and a.value = g.value
          )
    )
    select f.ref
    from f
    cross join lateral unnest(f.mails) m (value)
    join g on g.kind = 'mail' and g.value = m.value
    union
    select f.ref
    from f
    cross join lateral unnest(f.domains) m (value)
    join g on g.kind = 'domain' and g.value = m.value
    union
    select f.ref
    from f
    cross join lateral unnest(f.companies) m (value)
    join g on g.kind = 'company' and g.value = m.value
    union
    select f.ref
    from f
    join g on g.kind = 'profile' and g.value = f.profile
    union
    select f.ref
    from f
    cross join lateral string_to_table(f.name_company, '|') m (value)
    join g on g.kind = 'name_company' and g.value = m.value
    union
    select f.ref
    from f
    cross join lateral string_to_table(f.words, ' ') w (word)
    join g on g.kind = 'keyword' and split_part(g.value, ' ', 1) = w.word
    where position(' ' || g.value || ' ' in f.words) > 0
    union
    select l.id
    from persons p
    join lead l on l.person_id = p.person_id
    where l.id = any (p_leads) and l.workspace_id = p_workspace and app.may_use(p_workspace)
    union
    select l.id
    from persons p
    join pool_person m on m.person_id = p.person_id and m.scope = app.person_scope(p_workspace)
    join lead l on l.id = m.lead_id
    where l.id = any (p_leads) and l.workspace_id is null and app.may_use(p_workspace)
  $$;

alter function app.leads_met(text, uuid[], text[], text[]) owner to outrider_definer;
revoke execute on function app.leads_met(text, uuid[], text[], text[]) from public;
grant execute on function app.leads_met(text, uuid[], text[], text[]) to outrider_app, outrider_executor;
