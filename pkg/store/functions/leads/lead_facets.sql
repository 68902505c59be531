-- What a lead is filtered by besides its texts: tenant, seniority, size and whether the mail address is known.
create or replace function app.lead_facets(p_workspace text, p_seniority text, p_company_size text, p_least int, p_most int, p_email text) returns text[]
  language sql immutable parallel safe
  as $$ select array['w:' || coalesce(p_workspace, ''), 's:' || p_seniority, 'z:' || p_company_size, case when p_email is null then 'm:no' else 'm:yes' end] || app.size_bands(p_least, p_most) $$;
revoke execute on function app.lead_facets(text, text, text, int, int, text) from public;
grant execute on function app.lead_facets(text, text, text, int, int, text) to outrider_app, outrider_definer, outrider_executor;
