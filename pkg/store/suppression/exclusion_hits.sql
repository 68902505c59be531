-- Returns every exclusion that meets one of p_forms (app.exclusion_forms) in the workspace and the campaign as of p_now
-- (epoch ms, product time), erasure among them: those of the platform, the agency, the workspace and those that share
-- theirs with it, and the campaign; bounces and those for signal agents too. A row per exclusion. `id` and `since`: of
-- the exclusion where it is the workspace's own, else null; one of another workspace is told as the agency's, and its
-- time not at all. `removable`: this workspace may lift it. It looks values up by index, whatever their number. It asks
-- for no right: only functions that have asked call it.
create or replace function app.exclusion_hits(
  p_workspace text, p_campaign text, p_forms app.exclusion_form[], p_now bigint
)
  returns table (
    ref uuid, id uuid, kind text, source text, level text, removable boolean, since bigint, applies_to text,
    signal_agent_id text
  )
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with w as materialized (
      select id, agency_id, app.sharing_workspaces(id) as sharing
      from workspace
      where id = p_workspace
    ),
    f as materialized (select * from unnest(p_forms)),
    -- The workspaces whose erasures count, and '' for the platform's: they know persons that no exclusion names, since
    -- nobody had them yet.
    erasing as materialized (
      select o.id
      from w
      cross join unnest(array_append(w.sharing, w.id) || array['']) o (id)
      where exists (select 1 from erasure_tombstone t where t.workspace_id = o.id)
    ),
    spoken as materialized (
      select distinct f.ref, t.word, f.words
      from f
      cross join lateral string_to_table(f.words, ' ') t (word)
      where t.word not in ('', '|')
    ),
    keywords as materialized (
      select t.word, s.id, ' ' || s.value || ' ' as words
      from (select distinct word from spoken) t
      join suppression s on s.kind = 'keyword' and split_part(s.value, ' ', 1) = t.word
      cross join w
      where s.workspace_id is null or s.workspace_id = w.id or s.workspace_id = any (w.sharing)
    ),
    hit as (
      select f.ref, s.id as suppression_id
      from f
      join suppression s on s.person_id = any (f.persons)
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'person' and s.value = any (f.persons::text[])
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'mail' and s.value = any (f.mails)
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'domain' and s.value = any (f.domains)
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'company' and s.value = any (f.companies)
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'profile' and s.value = f.profile
      union all
      select f.ref, s.id
      from f
      join suppression s on s.kind = 'name_company' and s.value = f.name_company
      union all
      select p.ref, k.id
      from spoken p
      join keywords k on k.word = p.word
      where position(k.words in p.words) > 0
    )
    select
      hit.ref,
      case when s.workspace_id = w.id then s.id end,
      s.kind,
      s.source,
      case when s.level = 'workspace' and s.workspace_id <> w.id then 'agency' else s.level end,
      coalesce(s.removable and s.workspace_id = w.id and app.is_removable(s.source), false),
      case when s.workspace_id = w.id then s.created_at end,
      s.applies_to,
      s.signal_agent_id
    from hit
    join suppression s on s.id = hit.suppression_id
    cross join w
    where (s.expires_at is null or s.expires_at > p_now)
      and (
        s.level = 'platform'
        or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing)))
        or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign)
      )
      and (s.signal_agent_id is null or s.workspace_id = w.id)
    union all
    select
      f.ref, null, i.kind, 'erasure',
      case e.id when '' then 'platform' when p_workspace then 'workspace' else 'agency' end,
      false, null, 'all_outreach', null
    from f
    cross join erasing e
    cross join lateral (
      values ('mail', 'mail:' || app.mail_identity(f.email)), ('profile', 'profile:' || f.profile)
    ) i (kind, identity)
    where i.identity is not null
      and exists (
        select 1
        from erasure_tombstone t
        where t.workspace_id = e.id and t.hash = app.erasure_hash(e.id, i.identity)
      )
  $$;

alter function app.exclusion_hits(text, text, app.exclusion_form[], bigint) owner to outrider_definer;
revoke execute on function app.exclusion_hits(text, text, app.exclusion_form[], bigint) from public;
