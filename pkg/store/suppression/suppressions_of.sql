-- Returns every exclusion that meets these leads in the workspace and the campaign as of p_now (epoch ms, product
-- time), erasure among them: those of the platform, the agency, the workspace and those that share theirs with it,
-- and the campaign (app.exclusion_hits). A row per exclusion: its source (enums.suppressionSource) and level; one of
-- another workspace is told as the agency's; `removable`: this workspace may lift it. Empty where the caller may not
-- use the workspace. A bounced address is the business of the mail node, an exclusion for signals that of signal
-- agents. It makes the forms that cost time only while anybody uses that kind.
create or replace function app.suppressions_of(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text, level text, removable boolean)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct h.ref, h.source, h.level, h.removable
    from (
      select array_agg(f) as all_of
      from app.exclusion_forms(p_workspace, p_leads, app.exclusion_kinds(p_workspace)) f
      where app.may_use(p_workspace)
    ) x
    cross join lateral app.exclusion_hits(p_workspace, p_campaign, x.all_of, p_now) h
    where h.applies_to = 'all_outreach' and h.signal_agent_id is null and h.source <> 'bounce'
  $$;

alter function app.suppressions_of(text, text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.suppressions_of(text, text, uuid[], bigint) from public;
grant execute on function app.suppressions_of(text, text, uuid[], bigint) to outrider_app;
