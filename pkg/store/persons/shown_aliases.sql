-- Returns the aliases of a person that the leads of each agency (else workspace) show, and for each of these homes
-- those that no lead of anybody shows any more (of one that was erased). For app.settle_scopes.
create or replace function app.shown_aliases(p_person uuid, p_homes text[])
  returns table (scope text, kind text, value text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    with l as materialized (
      select app.person_scope(x.workspace_id) as scope, x.profile_id, app.mail_hashes(x.email) as mails
      from lead x
      where x.person_id = p_person and x.workspace_id is not null
      union
      select app.person_scope(r.workspace_id), x.profile_id, app.mail_hashes(x.email)
      from run r
      join lead x on x.id = r.lead_id and x.workspace_id is null
      where r.person_id = p_person
    ),
    a as materialized (
      select a.kind, a.value, array(
        select l.scope
        from l
        where case a.kind when 'profile' then l.profile_id = a.value else a.value = any (l.mails) end
      ) as scopes
      from person_alias a
      where a.person_id = p_person
    )
    select h.scope, a.kind, a.value
    from a
    cross join unnest(p_homes) h (scope)
    where h.scope = any (a.scopes) or cardinality(a.scopes) = 0
  $$;

alter function app.shown_aliases(uuid, text[]) owner to outrider_definer;
revoke execute on function app.shown_aliases(uuid, text[]) from public;
