-- Returns a page of a search for companies: ids of at most p_limit shared ones and the workspace's own, newest known
-- first, below p_before (null: from the newest). Fewer than p_limit: there are no more. It walks 300 companies, then
-- 4,000, then it gathers by index.
-- p: as app.company_criteria takes it. Empty where the caller may not use p_workspace. It is a definer function,
-- since under row-level security no condition that may leak (ilike, @@) uses an index; the tenant is a condition of
-- each statement instead.
create or replace function app.find_companies(p_workspace text, p jsonb, p_before uuid, p_limit int)
  returns uuid[]
  language plpgsql stable security definer
  set search_path = outrider, app, public, pg_catalog
  -- planner: in_order
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    behind uuid := p_before;
    last_id uuid;
    most int;
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    foreach most in array array[300, 4000] loop
      execute app.company_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most)
        into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
    end loop;
    execute format(
      'select array(%s)',
      app.company_gather_sql(p_workspace, p, behind, p_limit - cardinality(found_ids))
    ) into more_ids;
    return found_ids || more_ids;
  end $$;

alter function app.find_companies(text, jsonb, uuid, int) owner to outrider_definer;
revoke execute on function app.find_companies(text, jsonb, uuid, int) from public;
grant execute on function app.find_companies(text, jsonb, uuid, int) to outrider_app;
