-- Says whether a provider may be told of a lead, or of a company (p_field `company`): it is there, the workspace sees
-- it, and of a person: nobody excluded or erased them.
create or replace function app.may_be_enriched(
  p_workspace text, p_campaign text, p_subject uuid, p_field text, p_now bigint
)
  returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select case
      when p_field = 'company' then exists (
        select 1
        from company c
        where c.id = p_subject and (c.workspace_id is null or c.workspace_id = p_workspace)
      )
      else exists (
        select 1
        from lead l
        where l.id = p_subject
          and l.erased_at is null
          and (l.workspace_id is null or l.workspace_id = p_workspace)
      )
      and not exists (select 1 from app.suppressed_leads(p_workspace, p_campaign, array[p_subject], p_now))
    end
  $$;

alter function app.may_be_enriched(text, text, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.may_be_enriched(text, text, uuid, text, bigint) from public;
