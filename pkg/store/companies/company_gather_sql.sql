-- Returns the statement of the second step of app.find_companies: all companies that match below p_before, sorted,
-- p_limit at most. The inner select has no order, so that no plan walks on.
create or replace function app.company_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int)
  returns text
  language sql immutable
  as $$
    select format(
      'select id from (select c.id from company c where c.id < %L::uuid and %s offset 0) g order by id desc limit %s',
      p_before,
      app.company_criteria(p_workspace, p),
      p_limit
    )
  $$;

revoke execute on function app.company_gather_sql(text, jsonb, uuid, int) from public;
grant execute on function app.company_gather_sql(text, jsonb, uuid, int) to outrider_definer;
