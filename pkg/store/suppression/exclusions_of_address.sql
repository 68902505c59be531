-- Returns every exclusion that meets a lead, or an address, a domain or a profile of which there may be no lead
-- (app.exclusion_hits): exactly one of p_lead, p_mail, p_domain, p_profile is given, in the form of
-- exclusion-value.ts. Who is known under the address or the profile counts as the person; an address and a domain
-- count as those of the companies whose they are known to be. p_now: epoch ms, product time. Empty where the caller
-- may not use the workspace.
create or replace function app.exclusions_of_address(
  p_workspace text, p_lead uuid, p_mail text, p_domain text, p_profile text, p_now bigint
)
  returns table (
    id uuid, kind text, source text, level text, since bigint, applies_to text, signal_agent_id text, removable boolean
  )
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with forms as (
      select f
      from app.exclusion_forms(p_workspace, array[p_lead], app.exclusion_kinds(p_workspace)) f
      where p_lead is not null
      union all
      select row(
        '00000000-0000-0000-0000-000000000000'::uuid,
        array(
          select a.person_id
          from person_alias a
          where a.scope = app.person_scope(p_workspace)
            and (
              a.kind = 'mail' and a.value = any (app.mail_hashes(p_mail))
              or a.kind = 'profile' and a.value = p_profile
            )
        ),
        p_mail,
        case when p_mail is not null then array[p_mail, app.mail_identity(p_mail)] || app.mail_hashes(p_mail) end,
        p_profile,
        d.domains,
        array(select k from app.companies_at(p_workspace, d.domains) k),
        null,
        null
      )::app.exclusion_form
      from (select app.domains_above(coalesce(p_domain, split_part(p_mail, '@', 2))) as domains) d
      where p_lead is null
    )
    select distinct h.id, h.kind, h.source, h.level, h.since, h.applies_to, h.signal_agent_id, h.removable
    from (select array_agg(f) as all_of from forms where app.may_use(p_workspace)) x
    cross join lateral app.exclusion_hits(p_workspace, null, x.all_of, p_now) h
  $$;

alter function app.exclusions_of_address(text, uuid, text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.exclusions_of_address(text, uuid, text, text, text, bigint) from public;
grant execute on function app.exclusions_of_address(text, uuid, text, text, text, bigint)
  to outrider_app, outrider_executor;
