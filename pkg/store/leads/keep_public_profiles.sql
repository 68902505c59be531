-- Keeps public profiles in the shared pool: a known one takes what the network tells and keeps what it does not. The
-- job that reads profiles (lead_scrape) calls it.
-- p_rows: [{id (where the profile is new), profile_id, profile_url, first_name, last_name, full_name, headline,
-- title, seniority, company, company_key, location, provenance}], each profile once; texts are '' where the network
-- tells nothing. p_now: epoch ms UTC, product time. Returns the lead of each profile, with its company; who it is to
-- a tenant is settled when one asks. 42501 without a workspace. Locks: leads in the order of their profiles.
create or replace function app.keep_public_profiles(p_rows jsonb, p_now bigint)
  returns table (profile_id text, lead_id uuid)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare ids uuid[];
  begin
    if coalesce(cardinality(app.workspaces()), 0) = 0 and not app.is_platform() then
      raise exception 'no access to the pool' using errcode = '42501';
    end if;
    with q as (
      select *
      from jsonb_to_recordset(p_rows) as r (
        id uuid, profile_id text, profile_url text, first_name text, last_name text, full_name text,
        headline text, title text, seniority text, company text, company_key text, location text,
        provenance jsonb
      )
      order by r.profile_id
    ),
    kept as (
      insert into lead as l (
        id, workspace_id, profile_id, profile_url, first_name, last_name, full_name, headline, title, seniority,
        company, company_key, location, provenance, created_at, updated_at, enriched_at
      )
      select
        q.id, null, q.profile_id, q.profile_url, q.first_name, q.last_name, q.full_name, q.headline, q.title,
        q.seniority, q.company, q.company_key, q.location, q.provenance, p_now, p_now, p_now
      from q
      on conflict (coalesce(workspace_id, ''), profile_id)
        where profile_id is not null
          and erased_at is null do update set first_name = coalesce(
            nullif(excluded.first_name, ''),
            l.first_name
          ), last_name = coalesce(
            nullif(excluded.last_name, ''),
            l.last_name
          ), full_name = coalesce(
            nullif(excluded.full_name, ''),
            l.full_name
          ), headline = coalesce(
            nullif(excluded.headline, ''),
            l.headline
          ), title = coalesce(nullif(excluded.title, ''), l.title), seniority = coalesce(
            nullif(excluded.seniority, ''),
            l.seniority
          ), company = coalesce(nullif(excluded.company, ''), l.company), company_key = case
            when excluded.company = '' then l.company_key
            else excluded.company_key
          end, company_domain = case
            when excluded.company = '' or excluded.company_key = l.company_key then l.company_domain
            else ''
          end, location = coalesce(
            nullif(excluded.location, ''),
            l.location
          ), provenance = l.provenance || excluded.provenance, updated_at = p_now, enriched_at = p_now
      returning l.id
    )
    select array_agg(k.id)
    into ids
    from kept k;
    perform app.link_companies(ids, p_now);
    return query select l.profile_id, l.id from lead l where l.id = any (ids);
  end $$;

alter function app.keep_public_profiles(jsonb, bigint) owner to outrider_definer;
revoke execute on function app.keep_public_profiles(jsonb, bigint) from public;
grant execute on function app.keep_public_profiles(jsonb, bigint) to outrider_app;
