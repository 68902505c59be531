-- Returns every exclusion that meets these leads in the workspace and the campaign as of p_now (epoch ms, product
-- time), erasure among them: those of the platform, the agency, the workspace and those that share theirs with it,
-- and the campaign. A row per exclusion: its source (enums.suppressionSource) and level; one of another workspace is
-- told as the agency's; `removable`: this workspace may lift it. Empty where the caller may not use the workspace.
-- A bounced address is the business of the mail node. It makes the forms that cost time only while anybody uses that
-- kind.
create or replace function app.suppressions_of(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text, level text, removable boolean)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with w as materialized (
      select id, agency_id, app.sharing_workspaces(id) as sharing, app.person_scope(id) as scope
      from workspace
      where id = p_workspace and app.may_use(p_workspace)
    ),
    keywords as materialized (
      select s.id, ' ' || s.value || ' ' as word
      from suppression s
      where s.kind = 'keyword' and s.level in ('platform', 'agency') and s.value <> ''
      union all
      select s.id, ' ' || s.value || ' '
      from w
      cross join unnest(array_append(w.sharing, w.id)) o (id)
      cross join lateral (
        select x.id, x.value, x.level
        from suppression x
        where x.kind = 'keyword' and x.workspace_id = o.id
        offset 0
      ) s
      where s.level not in ('platform', 'agency') and s.value <> ''
    ),
    used as materialized (
      select
        exists (select 1 from suppression where kind = 'name_company') as name_company,
        exists (select 1 from keywords) as keyword,
        exists (select 1 from suppression where kind = 'mail') as mail,
        exists (select 1 from suppression where kind = 'domain') as domain
    ),
    -- The workspaces whose erasures count, and '' for the platform's: they know persons that no exclusion names, since
    -- nobody had them yet.
    erasing as materialized (
      select o.id
      from w
      cross join unnest(array_append(w.sharing, w.id) || array['']) o (id)
      where exists (select 1 from erasure_tombstone t where t.workspace_id = o.id)
    ),
    l as materialized (
      select
        x.id,
        case
          when x.workspace_id is not null then x.person_id
          else coalesce(
            (
              select m.person_id
              from pool_person m
              where m.lead_id = x.id and m.scope = (select w.scope from w)
            ),
            (select p.person_id from app.persons_for(p_workspace, array[x.id]) p)
          )
        end as person_id,
        x.email,
        case
          when used.mail and x.email is not null
            then array[lower(x.email), app.mail_identity(x.email)] || app.mail_hashes(x.email)
        end as mails,
        x.profile_id,
        case
          when used.domain
            then app.domains_above(split_part(lower(x.email), '@', 2))
              || app.domains_above(lower(x.company_domain))
        end as domains,
        case
          when used.name_company and x.company_key <> ''
            then nullif(app.plain_words(x.full_name), '') || '@' || x.company_key
        end as name_company,
        case
          when used.keyword
            then ' ' || app.company_key(x.company) || ' | ' || app.company_key(x.title) || ' | '
              || app.company_key(x.headline) || ' '
        end as words
      from lead x
      cross join used
      where x.id = any (p_leads) and (x.workspace_id is null or x.workspace_id = p_workspace)
    ),
    hit as (
      select l.id, s.id as suppression_id
      from l
      join suppression s on s.person_id = l.person_id
      union all
      select l.id, s.id
      from l
      join suppression s on s.kind = 'person' and s.value = l.person_id::text
      union all
      select l.id, s.id
      from l
      join suppression s on s.kind = 'mail' and s.value = any (l.mails)
      union all
      select l.id, s.id
      from l
      join suppression s on s.kind = 'domain' and s.value = any (l.domains)
      union all
      select l.id, s.id
      from l
      join suppression s on s.kind = 'profile' and s.value = l.profile_id
      union all
      select l.id, s.id
      from l
      join suppression s on s.kind = 'name_company' and s.value = l.name_company
      union all
      select l.id, k.id
      from l
      join keywords k on position(k.word in l.words) > 0
    )
    select
      hit.id,
      s.source,
      case when s.level = 'workspace' and s.workspace_id <> w.id then 'agency' else s.level end,
      s.removable and s.workspace_id = w.id and app.is_removable(s.source)
    from hit
    join suppression s on s.id = hit.suppression_id
    cross join w
    where s.applies_to = 'all_outreach'
      and s.source <> 'bounce'
      and (s.expires_at is null or s.expires_at > p_now)
      and (
        s.level = 'platform'
        or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing)))
        or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign)
      )
    union all
    select
      l.id,
      'erasure',
      case e.id when '' then 'platform' when p_workspace then 'workspace' else 'agency' end,
      false
    from l
    cross join erasing e
    cross join lateral (
      values ('mail:' || app.mail_identity(l.email)), ('profile:' || l.profile_id)
    ) i (identity)
    where i.identity is not null
      and exists (
        select 1
        from erasure_tombstone t
        where t.workspace_id = e.id and t.hash = app.erasure_hash(e.id, i.identity)
      )
  $$;

alter function app.suppressions_of(text, text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.suppressions_of(text, text, uuid[], bigint) from public;
grant execute on function app.suppressions_of(text, text, uuid[], bigint) to outrider_app;
