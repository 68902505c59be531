-- Erasure reaches what calls brought: crafted texts, slots, enrichments, notifications.
set local search_path = outrider, app, public;

-- Erases what a workspace holds on a lead: everything of a private one, its own data on a shared one. Live runs end as
-- suppressed, which cancels what is planned, claimed or in review. What proves contact (send keys, budgets, times) stays
-- without its content.
create or replace function app.erase_lead(p_workspace text, p_lead uuid, p_now bigint, p_keep boolean) returns jsonb
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    l record;
    erased jsonb := '{}';
    n int;
  begin
    select * into l from lead x where x.id = p_lead and x.erased_at is null and (x.workspace_id is null or x.workspace_id = p_workspace) for update;
    if not found or not app.may_use(p_workspace) then return null; end if;
    with ended as (
      update run r set state = 'suppressed', due_at = null, wait_reason = null, ended_at = p_now, end_reason = 'the person was erased', version = version + 1
        where r.workspace_id = p_workspace and r.lead_id = p_lead and r.ended_at is null returning r.id
    ), logged as (
      insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
        select p_workspace, e.id, p_now, 'run.completed', 'system', 'the person was erased', '{"state": "suppressed"}' from ended e
    )
    select count(*) into n from ended;
    erased := erased || jsonb_build_object('runsCancelled', n);
    -- Texts that were written about the person, also those that runs carry.
    update run r set facts = r.facts - array['crafted', 'craftedFacts', 'slots', 'approved', 'approvedSubjects']
      where r.workspace_id = p_workspace and r.lead_id = p_lead and r.facts ?| array['crafted', 'craftedFacts', 'slots', 'approved', 'approvedSubjects'];
    update node_call k set result = '{}', error = null where k.workspace_id = p_workspace and k.lead_id = p_lead;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('calls', n);
    delete from notification o where o.workspace_id = p_workspace and o.data ->> 'leadId' = p_lead::text;
    update review_item i set body = '', original_body = '', subject = null, facts = '[]' where i.workspace_id = p_workspace and i.lead_id = p_lead;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('drafts', n);
    update send s set body = null, target = '{}' where s.workspace_id = p_workspace and s.lead_id = p_lead and s.state not in ('dispatched', 'unknown');
    get diagnostics n = row_count; erased := erased || jsonb_build_object('messages', n);
    update run_event e set text = '', data = '{}' from run r where r.id = e.run_id and r.workspace_id = p_workspace and r.lead_id = p_lead;
    with left_lists as (delete from lead_list_member m where m.workspace_id = p_workspace and m.lead_id = p_lead returning m.lead_list_id)
      update lead_list t set lead_count = greatest(0, t.lead_count - 1) from left_lists x where t.id = x.lead_list_id;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('listMemberships', n);
    delete from lead_score s where s.workspace_id = p_workspace and s.lead_id = p_lead;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('scores', n);
    delete from campaign_lead c where c.workspace_id = p_workspace and c.lead_id = p_lead;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('campaigns', n);
    delete from lead_overlay o where o.workspace_id = p_workspace and o.lead_id = p_lead;
    get diagnostics n = row_count; erased := erased || jsonb_build_object('tagsAndNotes', n);
    if p_keep and l.person_id is not null then
      insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
        select gen_random_uuid(), p_workspace, 'workspace', 'person', l.person_id::text, l.person_id, 'erasure', 'erased', false, 'erasure', p_now
        where not exists (select 1 from suppression s where s.workspace_id = p_workspace and s.person_id = l.person_id and s.source = 'erasure');
    end if;
    if l.workspace_id is not null then
      update lead x set first_name = '', last_name = '', full_name = '', headline = '', title = '', seniority = '', company = '', company_key = '',
          company_domain = '', company_id = null, industry = '', company_size = '', location = '', country = '', timezone = null, profile_url = '', profile_id = null,
          email = null, email_status = 'unknown', phone = null, custom_fields = '{}', provenance = '{}', updated_at = p_now, erased_at = p_now
        where x.id = p_lead;
      delete from lead_match_key k where k.lead_id = p_lead;
      delete from signal s where s.lead_id = p_lead and s.workspace_id = p_workspace;
      -- A company that only this person stood for says where somebody worked.
      delete from company c where c.id = l.company_id and c.workspace_id = p_workspace and not exists (select 1 from lead o where o.company_id = c.id);
    end if;
    return erased || jsonb_build_object('lead', case when l.workspace_id is null then 0 else 1 end);
  end $$;
