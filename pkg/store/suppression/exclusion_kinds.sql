-- Returns the kinds of exclusions that cost time to compare and that anybody uses whose exclusions count in the
-- workspace. It asks for no right: only functions that have asked call it.
create or replace function app.exclusion_kinds(p_workspace text) returns text[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select coalesce(array_agg(k.kind), '{}')
    from unnest(array['mail', 'domain', 'company', 'name_company', 'keyword']) k (kind)
    -- Each is one look at an index; without the offsets all of them would be read and hashed.
    where exists (select 1 from suppression s where s.workspace_id = p_workspace and s.kind = k.kind offset 0)
      or exists (select 1 from suppression s where s.workspace_id is null and s.kind = k.kind offset 0)
      or exists (
        select 1
        from unnest(app.sharing_workspaces(p_workspace)) o (id)
        cross join lateral (
          select 1
          from suppression s
          where s.workspace_id = o.id and s.kind = k.kind
          limit 1
        ) s
        offset 0
      )
  $$;

alter function app.exclusion_kinds(text) owner to outrider_definer;
revoke execute on function app.exclusion_kinds(text) from public;
