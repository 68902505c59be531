-- Returns those of p_leads that meet search p (app.lead_criteria), in no order, for app.materialise_list. Empty where
-- the caller may not use p_workspace.
create or replace function app.match_leads(p_workspace text, p jsonb, p_leads uuid[]) returns uuid[]
  language plpgsql stable security definer
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare found_ids uuid[];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    execute format(
      'select array(select l.id from lead l where l.id = any (%L::uuid[]) and %s and %s and %s)',
      p_leads,
      app.lead_criteria(p),
      app.lead_tenant(p_workspace, p),
      app.lead_belonging(p_workspace, p)
    ) into found_ids;
    return found_ids;
  end $$;

alter function app.match_leads(text, jsonb, uuid[]) owner to outrider_definer;
revoke execute on function app.match_leads(text, jsonb, uuid[]) from public;
grant execute on function app.match_leads(text, jsonb, uuid[]) to outrider_app, outrider_executor;
