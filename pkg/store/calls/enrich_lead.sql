-- Puts fields that were found into a lead of the lease's workspace or of the shared pool, with where each comes from.
-- It leaves out an address that another lead of the same owner has, or that belongs to somebody who was erased here.
-- `p_found`: {title, headline, seniority, industry, location, country, email, emailStatus, phone}, each optional.
-- `p_source`: name of the enrichment. `p_now`: epoch ms UTC, product time. Returns the fields that it wrote; none for
-- a lead that is erased or not theirs. OU001: the lease is stale.
create or replace function app.enrich_lead(p_lead uuid, p_found jsonb, p_source text, p_now bigint)
  returns text[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    l record;
    f jsonb := p_found;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select *
    into l
    from lead x
    where x.id = p_lead
      and x.erased_at is null
      and (x.workspace_id is null or x.workspace_id = ws)
    for update;
    if not found then return '{}'; end if;
    if f ? 'email'
      and exists (
        select 1
        from lead o
        where coalesce(o.workspace_id, '') = coalesce(l.workspace_id, '')
          and lower(o.email) = lower(f ->> 'email')
          and o.id <> l.id
          and o.erased_at is null
      )
    then
      f := f - 'email' - 'emailStatus';
    end if;
    -- Nor an address of somebody who was erased here.
    if f ? 'email'
      and exists (
        select 1
        from erasure_tombstone t
        where t.workspace_id = ws
          and t.hash = app.erasure_hash(ws, 'mail:' || app.mail_identity(f ->> 'email'))
      )
    then
      f := f - 'email' - 'emailStatus';
    end if;
    if f = '{}' then return '{}'; end if;
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
      provenance = x.provenance || (
        select coalesce(jsonb_object_agg(k, jsonb_build_object('source', p_source, 'at', p_now)), '{}')
        from jsonb_object_keys(f) k
      ),
      updated_at = p_now
    where x.id = p_lead;
    perform app.resolve_persons(ws, array[p_lead], p_now);
    update icp set scores_stale = true where workspace_id = ws and not scores_stale;
    return (select array_agg(k) from jsonb_object_keys(f) k);
  exception
    when unique_violation then
      -- Somebody entered the same address at the same moment.
      return '{}';
  end $$;

alter function app.enrich_lead(uuid, jsonb, text, bigint) owner to outrider_definer;
revoke execute on function app.enrich_lead(uuid, jsonb, text, bigint) from public;
grant execute on function app.enrich_lead(uuid, jsonb, text, bigint) to outrider_executor;
