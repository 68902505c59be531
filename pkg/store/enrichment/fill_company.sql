-- Puts what a provider told of a company into it, with where each field comes from; what it does not tell stays. Its
-- name stays too: leads find it by that.
-- `p_found`: {website, industry, companySize, headcount, headcountGrowthPct, location, fundingStage, lastFundingAt
-- (epoch ms UTC), technologies, profileUrl}, each optional. Returns whether it wrote something.
create or replace function app.fill_company(
  p_workspace text, p_company uuid, p_found jsonb, p_source text, p_confidence real, p_now bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    entry jsonb := jsonb_strip_nulls(jsonb_build_object('source', p_source, 'at', p_now, 'confidence', p_confidence));
  begin
    if p_found = '{}' then return false; end if;
    update company c
    set
      website = coalesce(p_found ->> 'website', c.website),
      industry = coalesce(p_found ->> 'industry', c.industry),
      company_size = coalesce(p_found ->> 'companySize', c.company_size),
      headcount = coalesce((p_found ->> 'headcount')::int, c.headcount),
      headcount_growth_pct = coalesce((p_found ->> 'headcountGrowthPct')::real, c.headcount_growth_pct),
      location = coalesce(p_found ->> 'location', c.location),
      funding_stage = coalesce(p_found ->> 'fundingStage', c.funding_stage),
      last_funding_at = coalesce((p_found ->> 'lastFundingAt')::bigint, c.last_funding_at),
      technologies = case
        when p_found ? 'technologies' then array(select jsonb_array_elements_text(p_found -> 'technologies'))
        else c.technologies
      end,
      profile_url = coalesce(p_found ->> 'profileUrl', c.profile_url),
      provenance = c.provenance || (select jsonb_object_agg(k, entry) from jsonb_object_keys(p_found) k),
      enriched_at = p_now,
      updated_at = p_now
    where c.id = p_company and (c.workspace_id is null or c.workspace_id = p_workspace);
    return found;
  end $$;

alter function app.fill_company(text, uuid, jsonb, text, real, bigint) owner to outrider_definer;
revoke execute on function app.fill_company(text, uuid, jsonb, text, real, bigint) from public;
