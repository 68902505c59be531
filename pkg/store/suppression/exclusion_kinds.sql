-- Returns the kinds of exclusions that cost time to compare and that anybody uses whose exclusions count in the
-- workspace. It asks for no right: only functions that have asked call it.
create or replace function app.exclusion_kinds(p_workspace text) returns text[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select coalesce(array_agg(k.kind), '{}')
    from unnest(array['mail', 'domain', 'company', 'name_company', 'keyword']) k (kind)
    where exists (select 1 from suppression s where s.workspace_id = p_workspace and s.kind = k.kind)
      or exists (select 1 from suppression s where s.workspace_id is null and s.kind = k.kind)
      or exists (
        select 1
        from unnest(app.sharing_workspaces(p_workspace)) o (id)
        join suppression s on s.workspace_id = o.id and s.kind = k.kind
      )
  $$;

alter function app.exclusion_kinds(text) owner to outrider_definer;
revoke execute on function app.exclusion_kinds(text) from public;
