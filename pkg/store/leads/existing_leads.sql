-- Returns the private leads of a workspace that may be the same persons as rows of an import: by profile, by mail (in
-- lower case), by name and key of the company (two arrays in parallel), or by a key of app.lead_match_key. Nobody where
-- the caller may not use the workspace. It is a definer function, since under row-level security `lower` uses no index
-- and each row of the file would be compared with each lead; so it would where a planner without figures of the table
-- began with the leads, from which `offset 0` keeps it.
create or replace function app.existing_leads(
  p_workspace text, p_profiles text[], p_mails text[], p_names text[], p_companies text[], p_keys text[]
)
  returns table (id uuid, profile_url text, email text, full_name text, company text, company_domain text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select x.id, x.profile_url, x.email, x.full_name, x.company, x.company_domain
    from (
      select o.id
      from unnest(p_profiles) n (profile)
      cross join lateral (
        select l.id
        from lead l
        where coalesce(l.workspace_id, '') = p_workspace
          and l.erased_at is null
          and l.profile_id = n.profile
        offset 0
      ) o
      union
      select o.id
      from unnest(p_mails) n (mail)
      cross join lateral (
        select l.id
        from lead l
        where coalesce(l.workspace_id, '') = p_workspace
          and l.erased_at is null
          and lower(l.email) = n.mail
        offset 0
      ) o
      union
      select o.id
      from unnest(p_names, p_companies) n (name, company)
      cross join lateral (
        select l.id
        from lead l
        where coalesce(l.workspace_id, '') = p_workspace
          and l.erased_at is null
          and lower(l.full_name) = lower(n.name)
          and l.company_key = n.company
        offset 0
      ) o
      union
      select o.id
      from unnest(p_keys) n (key)
      cross join lateral (
        select k.lead_id as id
        from lead_match_key k
        where k.workspace_id = p_workspace and k.key = n.key
        offset 0
      ) o
    ) f
    cross join lateral (
      select l.id, l.profile_url, l.email, l.full_name, l.company, l.company_domain
      from lead l
      where l.id = f.id and l.workspace_id = p_workspace
      offset 0
    ) x
    where app.may_use(p_workspace)
  $$;

alter function app.existing_leads(text, text[], text[], text[], text[], text[]) owner to outrider_definer;
revoke execute on function app.existing_leads(text, text[], text[], text[], text[], text[]) from public;
grant execute on function app.existing_leads(text, text[], text[], text[], text[], text[]) to outrider_app;
