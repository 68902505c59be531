-- Puts fields that were found into a lead of the workspace or of the shared pool, with where each comes from. What a
-- person entered or cleared by hand stays. It leaves out an address that another lead of the same owner has (then it
-- is nobody's for sure: that lead's address becomes risky), or that belongs to somebody who was erased here.
-- `p_found`: {title, headline, seniority, industry, location, country, profile, email, emailStatus, phone}, each
-- optional; `profile` marks that the profile as a whole was read, `verified` is the address that emailStatus is of.
-- `p_source`: who found it. `p_confidence`: 0 to 1, or null. `p_now`: epoch ms UTC, product time. Returns the fields
-- that it wrote; none for a lead that is erased or not theirs.
create or replace function app.fill_lead(
  p_workspace text, p_lead uuid, p_found jsonb, p_source text, p_confidence real, p_now bigint
)
  returns text[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    l record;
    f jsonb := p_found;
    entry jsonb := jsonb_strip_nulls(jsonb_build_object('source', p_source, 'at', p_now, 'confidence', p_confidence));
  begin
    select *
    into l
    from lead x
    where x.id = p_lead
      and x.erased_at is null
      and (x.workspace_id is null or x.workspace_id = p_workspace)
    for update;
    if not found then return '{}'; end if;
    -- A verification is of one address.
    if f ? 'verified' and lower(l.email) is distinct from lower(f ->> 'verified') then return '{}'; end if;
    f := f - 'verified';
    if f ? 'email'
      and (
        l.provenance -> 'email' ->> 'source' = 'manual'
        or app.is_of_another(p_workspace, p_lead, l.workspace_id, f ->> 'email', p_now)
        or exists (
          select 1
          from erasure_tombstone t
          where t.workspace_id = p_workspace
            and t.hash in (select app.erasure_hash(p_workspace, i) from unnest(app.mail_proofs(f ->> 'email')) i)
        )
      )
    then
      f := f - 'email' - 'emailStatus';
    end if;
    select coalesce(jsonb_object_agg(e.key, e.value), '{}')
    into f
    from jsonb_each(f) e
    where (l.provenance -> e.key ->> 'source') is distinct from 'manual';
    if f - 'profile' = '{}' then return '{}'; end if;
    update lead x
    set
      title = coalesce(f ->> 'title', x.title),
      headline = coalesce(f ->> 'headline', x.headline),
      seniority = coalesce(f ->> 'seniority', x.seniority),
      industry = coalesce(f ->> 'industry', x.industry),
      location = coalesce(f ->> 'location', x.location),
      country = coalesce(f ->> 'country', x.country),
      email = coalesce(f ->> 'email', x.email),
      email_status = coalesce(f ->> 'emailStatus', x.email_status),
      phone = coalesce(f ->> 'phone', x.phone),
      provenance = x.provenance || (select jsonb_object_agg(k, entry) from jsonb_object_keys(f) k),
      updated_at = p_now
    where x.id = p_lead;
    perform app.resolve_persons(p_workspace, array[p_lead], p_now);
    update icp set scores_stale = true where workspace_id = p_workspace and not scores_stale;
    return (select array_agg(k) from jsonb_object_keys(f) k);
  exception
    when unique_violation then
      -- Somebody entered the same address at the same moment.
      return '{}';
  end $$;

alter function app.fill_lead(text, uuid, jsonb, text, real, bigint) owner to outrider_definer;
revoke execute on function app.fill_lead(text, uuid, jsonb, text, real, bigint) from public;
