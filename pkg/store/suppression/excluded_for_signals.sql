-- Returns which of these leads a signal agent leaves out, and by which source (the first of several), as of p_now
-- (epoch ms, product time): whom nobody may contact in the campaign (app.suppressed_leads), and whom an exclusion for
-- signals names, of all agents or of p_agent. Nobody where the caller may not use the workspace.
create or replace function app.excluded_for_signals(
  p_workspace text, p_agent text, p_campaign text, p_leads uuid[], p_now bigint
)
  returns table (lead_id uuid, source text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (h.ref) h.ref, h.source
    from (
      select array_agg(f) as all_of
      from app.exclusion_forms(p_workspace, p_leads, app.exclusion_kinds(p_workspace)) f
      where app.may_use(p_workspace)
    ) x
    cross join lateral app.exclusion_hits(p_workspace, p_campaign, x.all_of, p_now) h
    where h.source <> 'bounce'
      and (h.signal_agent_id is null or h.signal_agent_id = p_agent)
    order by h.ref, h.source
  $$;

alter function app.excluded_for_signals(text, text, text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.excluded_for_signals(text, text, text, uuid[], bigint) from public;
grant execute on function app.excluded_for_signals(text, text, text, uuid[], bigint) to outrider_app, outrider_executor;
