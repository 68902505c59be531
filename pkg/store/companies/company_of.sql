-- Returns the company at which a lead of workspace p_workspace ('': of the pool) works, null when it is not known. By
-- domain it takes the shared one, else the workspace's own. By name alone (p_key: the normalised name) it takes a
-- company only where no other has that name, one of the workspace before shared ones. An import asks it once per
-- company: each branch is a statement of its own, and the one by domain names the condition of its partial index,
-- without which the planner makes a new plan for each call.
create or replace function app.company_of(p_workspace text, p_domain text, p_key text) returns uuid
  language plpgsql stable
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    if p_domain <> '' then
      return (
        select c.id
        from company c
        where c.domain = p_domain and c.domain <> '' and coalesce(c.workspace_id, '') in ('', p_workspace)
        order by c.workspace_id nulls first limit 1
      );
    end if;
    if p_key = '' then return null; end if;
    return coalesce(
      (
        select min(c.id::text)::uuid
        from company c
        where c.company_key = p_key and coalesce(c.workspace_id, '') = p_workspace
        having count(*) = 1
      ),
      (
        select c.id
        from company c
        where c.company_key = p_key
          and coalesce(c.workspace_id, '') = p_workspace
          and c.domain = ''
      ),
      (
        select min(c.id::text)::uuid
        from company c
        where c.company_key = p_key and c.workspace_id is null
        having count(*) = 1
      )
    );
  end $$;

revoke execute on function app.company_of(text, text, text) from public;
grant execute on function app.company_of(text, text, text) to outrider_definer;
