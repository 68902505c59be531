-- Returns where a lead l of search p may lie, as SQL: the pool, the workspace's own, or both (p.visibility 'shared',
-- 'private', else 'all'). It is the tenant's border of the search, and every statement has it.
create or replace function app.lead_tenant(p_workspace text, p jsonb) returns text
  language sql immutable
  as $$
    select case p ->> 'visibility'
      when 'shared' then 'l.workspace_id is null'
      when 'private' then format('l.workspace_id = %L', p_workspace)
      else format('(l.workspace_id is null or l.workspace_id = %L)', p_workspace)
    end
  $$;

revoke execute on function app.lead_tenant(text, jsonb) from public;
grant execute on function app.lead_tenant(text, jsonb) to outrider_definer;
