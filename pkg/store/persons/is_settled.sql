-- Says whether a lead has its person, and that person everything by which the lead is known: app.resolve_persons has
-- nothing to do for it. What belongs to another person, whose profile disproves the lead, is not the lead's to have.
create or replace function app.is_settled(
  p_lead uuid, p_home text, p_workspace text, p_person uuid, p_profile text, p_mail text
)
  returns boolean
  language sql stable
  as $$
    select k.person is not null
      and exists (select 1 from person p where p.id = k.person and p.scope = k.scope)
      and app.fits_profile(k.person, p_profile)
      and not exists (
        select 1
        from (
          select 'profile' as kind, p_profile as value
          where p_profile is not null
          union all
          select 'mail', m
          from unnest(app.person_mails(p_mail, p_profile)) m
        ) i
        where not exists (
          select 1
          from person_alias a
          where a.scope = k.scope
            and a.kind = i.kind
            and a.value = i.value
            and (
              a.person_id = k.person
              or i.kind = 'mail'
                and (
                  not app.fits_profile(a.person_id, p_profile)
                  or app.has_profile(a.person_id) and app.has_profile(k.person)
                )
            )
        )
      )
    from (
      select
        s.scope,
        case
          when p_home is not null then p_person
          else (select m.person_id from pool_person m where m.lead_id = p_lead and m.scope = s.scope)
        end as person
      from (select app.person_scope(coalesce(p_home, p_workspace)) as scope offset 0) s
    ) k
  $$;

grant execute on function app.is_settled(uuid, text, text, uuid, text, text) to outrider_definer;
