-- Returns the leads that replied in a campaign, and the key of their company (app.company_key). A notice of absence
-- is no reply; it leaves out a lead without a company. For app.enrol and app.hand_off (stopCompanyOnReply).
create or replace function app.answered_companies(p_workspace text, p_campaign text)
  returns table (lead_id uuid, company_key text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct l.id, l.company_key
    from lead_overlay o
    join run r on r.workspace_id = o.workspace_id and r.lead_id = o.lead_id and r.campaign_id = p_campaign
    join lead l on l.id = o.lead_id
    where app.may_use(p_workspace)
      and o.workspace_id = p_workspace
      and o.last_replied_at is not null
      and l.company_key <> ''
      and app.has_replied(r.facts)
  $$;

alter function app.answered_companies(text, text) owner to outrider_definer;
revoke execute on function app.answered_companies(text, text) from public;
