-- Filters by titles, industries, places and keywords find what was written with accents by what is typed without them:
-- their indexes hold both. The function is here as it was when it came.
create or replace function app.sought(p_text text) returns text
  language sql immutable parallel safe
  as $$
    select case when p_text ~ '[^\u0001-\u007f]' then p_text || ' ' || app.folded(p_text) else p_text end
  $$;

grant execute on function app.sought(text) to outrider_app, outrider_definer, outrider_executor;

drop index outrider.lead_criteria;
create index lead_criteria on outrider.lead using gin (
  app.lead_times(id), search, app.sought(title) public.gin_trgm_ops, app.sought(industry) public.gin_trgm_ops,
  app.sought(location || ' ' || country) public.gin_trgm_ops,
  app.sought(headline || ' ' || title || ' ' || company) public.gin_trgm_ops,
  app.lead_facets(workspace_id, seniority, company_size, size_least, size_most, email)
) with (gin_pending_list_limit = 512) where erased_at is null;

drop index outrider.company_industry;
drop index outrider.company_location;
drop index outrider.company_words;
create index company_industry on outrider.company using gin (app.sought(industry) public.gin_trgm_ops);
create index company_location on outrider.company using gin (app.sought(location) public.gin_trgm_ops);
create index company_words on outrider.company using gin (app.sought(name || ' ' || industry) public.gin_trgm_ops);
