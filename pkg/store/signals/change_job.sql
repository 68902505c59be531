-- Makes of a lead who works elsewhere now what is known of them: what rested on the old company goes. Its address at a
-- domain of the old company, size and industry are forgotten, the company is found anew, the person is settled again,
-- and scores are stale. What excluded the person at the old company goes on to exclude them, as long and as far as
-- before, and wishes and erasures for good: what meets the lead by address, company or words becomes the person's own
-- first; exclusions of the new company meet the lead by what it says now.
-- p_lead: of the workspace; a shared one is left as it is. p_forget_mail: the address is the old company's. p_now:
-- epoch ms, product time. Returns whether the lead was changed. Locks: the lead, then as app.resolve_persons.
create or replace function app.change_job(
  p_workspace text, p_lead uuid, p_title text, p_company text, p_headline text, p_seniority text,
  p_forget_mail boolean, p_now bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    person uuid;
    held record;
  begin
    if not app.may_use(p_workspace) then return false; end if;
    perform count(*) from app.resolve_persons(p_workspace, array[p_lead], p_now);
    select l.person_id
    into person
    from lead l
    where l.id = p_lead and l.workspace_id = p_workspace and l.erased_at is null
    for update;
    if not found then return false; end if;
    for held in
      select
        h.source,
        h.applies_to,
        h.signal_agent_id,
        case when bool_and(h.expires_at is not null) then max(h.expires_at) end as until
      from (
        select array_agg(f) as all_of
        from app.exclusion_forms(p_workspace, array[p_lead], app.exclusion_kinds(p_workspace)) f
      ) x
      cross join lateral app.exclusion_hits(p_workspace, null, x.all_of, p_now) h
      where h.kind not in ('person', 'profile') and h.source <> 'bounce'
      group by h.source, h.applies_to, h.signal_agent_id
      order by h.source
    loop
      insert into suppression (
        id, workspace_id, level, kind, value, person_id, applies_to, source, reason, removable, created_by, created_at,
        expires_at, signal_agent_id
      )
      select
        gen_random_uuid(), p_workspace, 'workspace', 'person', person::text, person, held.applies_to, held.source,
        'excluded at the company before', app.is_removable(held.source), 'signal-agent', p_now, held.until,
        held.signal_agent_id
      where not exists (
        select 1
        from suppression s
        where s.workspace_id = p_workspace
          and s.kind = 'person'
          and s.value = person::text
          and s.source = held.source
          and s.applies_to = held.applies_to
          and s.signal_agent_id is not distinct from held.signal_agent_id
          and s.level = 'workspace'
          and (s.expires_at is null or s.expires_at >= held.until)
      );
    end loop;
    update lead l
    set
      title = p_title,
      company = p_company,
      company_key = app.company_key(p_company),
      company_domain = '',
      company_id = null,
      company_size = '',
      industry = '',
      headline = p_headline,
      seniority = p_seniority,
      email = case when p_forget_mail then null else l.email end,
      updated_at = p_now,
      provenance = l.provenance || jsonb_build_object(
        'title', jsonb_build_object('source', 'network', 'at', p_now),
        'company', jsonb_build_object('source', 'network', 'at', p_now)
      )
    where l.id = p_lead;
    perform app.link_companies(array[p_lead], p_now);
    perform count(*) from app.resolve_persons(p_workspace, array[p_lead], p_now);
    update icp
    set scores_stale = true
    where id = any (array(
      select i.id from icp i where i.workspace_id = p_workspace and i.deleted_at is null order by i.id for no key update
    ));
    return true;
  end $$;

alter function app.change_job(text, uuid, text, text, text, text, boolean, bigint) owner to outrider_definer;
revoke execute on function app.change_job(text, uuid, text, text, text, text, boolean, bigint) from public;
grant execute on function app.change_job(text, uuid, text, text, text, text, boolean, bigint) to outrider_executor;
