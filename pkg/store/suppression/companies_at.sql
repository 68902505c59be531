-- Returns the names, in every form (app.company_spellings), of the companies whose these domains are known to be, of
-- the pool and of the workspace. It asks for no right: only functions that have asked call it, and the planner puts it
-- into their statements.
create or replace function app.companies_at(p_workspace text, p_domains text[]) returns setof text
  language sql stable
  as $$
    select k
    from company c
    cross join lateral unnest(app.spellings_of(c.name, c.company_key)) k
    where c.domain = any (p_domains)
      and c.domain <> ''
      and coalesce(c.workspace_id, '') in ('', p_workspace)
      and c.company_key <> ''
  $$;

grant execute on function app.companies_at(text, text[]) to outrider_definer;
