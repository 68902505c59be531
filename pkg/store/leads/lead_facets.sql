-- Returns what a lead is filtered by besides its texts, as entries of the index lead_criteria. w: tenant ('' for the
-- pool), s: seniority, z: size as it is written, m: whether a mail address is known, b: bands of the head count
-- (app.size_bands).
create or replace function app.lead_facets(
  p_workspace text, p_seniority text, p_company_size text, p_least int, p_most int, p_email text
)
  returns text[]
  language sql immutable parallel safe
  as $$
    select array[
      'w:' || coalesce(p_workspace, ''),
      's:' || p_seniority,
      'z:' || p_company_size,
      case when p_email is null then 'm:no' else 'm:yes' end
    ] || app.size_bands(p_least, p_most)
  $$;

revoke execute on function app.lead_facets(text, text, text, int, int, text) from public;
grant execute on function app.lead_facets(text, text, text, int, int, text)
  to outrider_app, outrider_definer, outrider_executor;
