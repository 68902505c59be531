-- Returns which of these leads must not be contacted, and by which source (enums.suppressionSource; the first of
-- several), as of p_now (epoch ms, product time), in the campaign. p_campaign null: exclusions of single campaigns do
-- not count. Nobody where the caller may not use the workspace.
create or replace function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (f.lead_id) f.lead_id, f.source
    from app.suppressions_of(p_workspace, p_campaign, p_leads, p_now) f
    order by f.lead_id, f.source
  $$;

alter function app.suppressed_leads(text, text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.suppressed_leads(text, text, uuid[], bigint) from public;
grant execute on function app.suppressed_leads(text, text, uuid[], bigint) to outrider_app, outrider_executor;
