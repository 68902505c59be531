-- Returns the lead of each profile that a watch saw, of the workspace where it has one of its own, else of the pool; a
-- profile that nobody knows becomes a lead of the pool. What is known is never changed: a list shows a name and a
-- headline, and less than somebody may have read of the profile. Who was erased is left out and stays so.
-- p_rows: [{id, profile_id, profile_url, first_name, last_name, full_name, headline}], each profile once. p_now: epoch
-- ms UTC, product time. Nothing where the caller may not use the workspace. Locks: leads in the order of their
-- profiles.
create or replace function app.keep_seen_people(p_workspace text, p_rows jsonb, p_now bigint)
  returns table (profile_id text, lead_id uuid)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare wanted text[];
  begin
    if not app.may_use(p_workspace) then return; end if;
    wanted := array(
      select r.profile_id
      from jsonb_to_recordset(p_rows) as r (profile_id text)
      except
      select split_part(i, ':', 2)
      from app.erased_identities(
        p_workspace,
        array(select 'profile:' || r.profile_id from jsonb_to_recordset(p_rows) as r (profile_id text))
      ) i
    );
    insert into lead (
      id, workspace_id, profile_id, profile_url, first_name, last_name, full_name, headline, provenance, created_at,
      updated_at
    )
    select
      r.id, null, r.profile_id, r.profile_url, r.first_name, r.last_name, r.full_name, r.headline,
      jsonb_build_object('profileUrl', jsonb_build_object('source', 'network', 'at', p_now)), p_now, p_now
    from jsonb_to_recordset(p_rows) as r (
      id uuid, profile_id text, profile_url text, first_name text, last_name text, full_name text, headline text
    )
    where r.profile_id = any (wanted)
      and not exists (
        select 1
        from lead l
        where coalesce(l.workspace_id, '') in ('', p_workspace)
          and l.profile_id = r.profile_id
          and l.erased_at is null
      )
    order by r.profile_id
    on conflict do nothing;
    return query
      select distinct on (l.profile_id) l.profile_id, l.id
      from lead l
      where coalesce(l.workspace_id, '') in ('', p_workspace)
        and l.profile_id = any (wanted)
        and l.erased_at is null
      order by l.profile_id, l.workspace_id nulls last;
  end $$;

alter function app.keep_seen_people(text, jsonb, bigint) owner to outrider_definer;
revoke execute on function app.keep_seen_people(text, jsonb, bigint) from public;
grant execute on function app.keep_seen_people(text, jsonb, bigint) to outrider_app, outrider_executor;
