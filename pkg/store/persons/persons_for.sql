-- Returns who these leads are to a workspace: leads of its own by their row; of the pool by what its agency settled
-- (app.resolve_persons), else by the agency's aliases, of which a profile comes before a mail address, and never
-- somebody with another profile. No row for a lead that is nobody yet. It asks for no right: only functions that have
-- asked call it.
create or replace function app.persons_for(p_workspace text, p_leads uuid[])
  returns table (lead_id uuid, person_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select k.id, k.person
    from (
      select
        x.id,
        case
          when x.workspace_id is not null then x.person_id
          else coalesce(
            (select m.person_id from pool_person m where m.lead_id = x.id and m.scope = s.scope),
            (
              select a.person_id
              from person_alias a
              where a.scope = s.scope and a.kind = 'profile' and a.value = x.profile_id
            ),
            (
              select a.person_id
              from person_alias a
              where a.scope = s.scope
                and a.kind = 'mail'
                and a.value = any (app.person_mails(x.email, x.profile_id))
                and app.fits_profile(a.person_id, x.profile_id)
              order by 1 limit 1
            )
          )
        end as person
      from (select app.person_scope(p_workspace) as scope offset 0) s
      join lead x on x.id = any (p_leads) and (x.workspace_id is null or x.workspace_id = p_workspace)
    ) k
    where k.person is not null
  $$;

alter function app.persons_for(text, uuid[]) owner to outrider_definer;
revoke execute on function app.persons_for(text, uuid[]) from public;
