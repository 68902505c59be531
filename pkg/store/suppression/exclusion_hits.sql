-- Returns every exclusion that meets one of p_forms (app.exclusion_forms) in the workspace and the campaign as of
-- p_now (epoch ms, product time), erasure among them: those of the platform, the agency, the workspace and those
-- that share theirs with it, and the campaign; bounces and those for signal agents too. A row per exclusion. `id`
-- and `since`: of the exclusion where it is the workspace's own, else null; one of another workspace is told as the
-- agency's, and its time not at all. `expires_at`: null where it never ends. `removable`: this workspace may lift
-- it. It looks values up by index, whatever their number. It asks for no right: only functions that have asked call
-- it.
create or replace function app.exclusion_hits(
  p_workspace text, p_campaign text, p_forms app.exclusion_form[], p_now bigint
)
  returns table (
    ref uuid, id uuid, kind text, source text, level text, removable boolean, since bigint, applies_to text,
    signal_agent_id text, expires_at bigint
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
      where exists (select 1 from erasure_tombstone t where t.workspace_id = o.id offset 0)
    ),
    spoken as materialized (
      select f.ref, t.words, g.at, t.words[g.at] as word
      from f
      cross join lateral unnest(string_to_array(f.words, '|')) p (text)
      cross join lateral (select string_to_array(btrim(p.text), ' ') as words offset 0) t
      cross join lateral generate_subscripts(t.words, 1) g (at)
    ),
    -- Words with which any keyword begins: few of those that people use.
    starts as materialized (
      select a.word
      from (select distinct word from spoken) a
      where exists (
        select 1
        from suppression x
        where x.kind = 'keyword' and split_part(x.value, ' ', 1) = a.word
        offset 0
      )
    ),
    asked as materialized (
      select f.ref, 'person' as kind, v.value::text as value
      from f
      cross join lateral unnest(f.persons) v (value)
      union all
      select f.ref, 'mail', v.value
      from f
      cross join lateral unnest(f.mails) v (value)
      union all
      select f.ref, 'domain', v.value
      from f
      cross join lateral unnest(f.domains) v (value)
      union all
      select f.ref, 'company', v.value
      from f
      cross join lateral unnest(f.companies) v (value)
      union all
      select f.ref, 'profile', f.profile
      from f
      union all
      select f.ref, 'name_company', v.value
      from f
      cross join lateral string_to_table(f.name_company, '|') v (value)
      union all
      -- A keyword has at most twelve words (exclusion-value.ts).
      select p.ref, 'keyword', array_to_string(p.words[p.at:p.at + n - 1], ' ')
      from spoken p
      join starts t on t.word = p.word
      cross join generate_series(1, 12) n
      where p.at + n - 1 <= cardinality(p.words)
    ),
    -- Each value once, and each by its index: what a workspace excludes in all is never read.
    found as materialized (
      select a.kind as by_kind, a.value as by_value, s.*
      from (select distinct kind, value from asked where value is not null) a
      cross join lateral (
        select x.*
        from suppression x
        where x.kind = a.kind and x.value = a.value
        offset 0
      ) s
      union all
      select 'person', a.value, s.*
      from (select distinct value from asked where kind = 'person' and value is not null) a
      cross join lateral (
        select x.*
        from suppression x
        where x.person_id = a.value::uuid and (x.kind <> 'person' or x.value <> a.value)
        offset 0
      ) s
    ),
    counting as materialized (
      select s.*, w.id as home
      from found s
      cross join w
      where (s.expires_at is null or s.expires_at > p_now)
        and (
          s.level = 'platform'
          or (s.level = 'agency' and s.agency_id = w.agency_id)
          or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing)))
          or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign)
        )
        and (s.signal_agent_id is null or s.workspace_id = w.id)
    ),
    hit as (
      select a.ref, s.*
      from asked a
      join counting s on s.by_kind = a.kind and s.by_value = a.value
    )
    select distinct
      s.ref,
      case when s.workspace_id = s.home then s.id end,
      s.kind,
      s.source,
      case when s.level = 'workspace' and s.workspace_id <> s.home then 'agency' else s.level end,
      coalesce(s.removable and s.workspace_id = s.home and app.is_removable(s.source), false),
      case when s.workspace_id = s.home then s.created_at end,
      s.applies_to,
      s.signal_agent_id,
      s.expires_at
    from hit s
    union all
    select
      f.ref, null, i.kind, 'erasure',
      case e.id when '' then 'platform' when p_workspace then 'workspace' else 'agency' end,
      false, null, 'all_outreach', null, null
    from f
    cross join erasing e
    cross join lateral (
      select 'mail', m
      from unnest(app.mail_proofs(f.email)) m
      union all
      select 'profile', 'profile:' || f.profile
    ) i (kind, identity)
    where i.identity is not null
      and exists (
        select 1
        from erasure_tombstone t
        where t.workspace_id = e.id and t.hash = app.erasure_hash(e.id, i.identity)
        offset 0
      )
  $$;

alter function app.exclusion_hits(text, text, app.exclusion_form[], bigint) owner to outrider_definer;
revoke execute on function app.exclusion_hits(text, text, app.exclusion_form[], bigint) from public;
