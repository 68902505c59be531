-- Adds exclusions of a workspace that people name by value (p_kinds and p_values side by side, in the form of
-- exclusion-value.ts; p_reasons too), and says what became of each, in order: `added`; `already` there of the same
-- source or of one that nobody lifts; `covered` by `by_id`, a wider one or the same of another source, and kept
-- beside it, so that lifting that one does not open it. What is there already stays for the longer of the two times.
-- Who is known under the address or the profile is excluded as a person. With p_dry it writes nothing and says the
-- same. Nothing weakens what is there: each source has a row of its own. p_ids: of the new rows; p_now and p_expires
-- (null: never): epoch ms, product time; p_agent: only for this signal agent. Nothing where the caller may not use
-- the workspace. Locks: the exclusions of the workspace, so that the same one is not added twice.
create or replace function app.add_exclusions(
  p_now bigint, p_workspace text, p_ids uuid[], p_kinds text[], p_values text[], p_reasons text[], p_source text,
  p_applies_to text, p_agent text, p_expires bigint, p_by text, p_dry boolean
)
  returns table (ord int, outcome text, id uuid, by_id uuid)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  #variable_conflict use_column
  begin
    if not app.may_use(p_workspace) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('exclusions:' || p_workspace, 0));
    -- What ended is in nobody's way: the row that takes its place tells all.
    if not p_dry then
      delete from suppression s
      using unnest(p_kinds, p_values) as g (kind, value)
      where s.kind = g.kind
        and s.value = g.value
        and s.workspace_id = p_workspace
        and s.level = 'workspace'
        and s.source = p_source
        and s.applies_to = p_applies_to
        and s.signal_agent_id is not distinct from p_agent
        and s.removable
        and s.expires_at <= p_now;
    end if;
    return query
      with given as materialized (
        select
          g.ord::int as ord, g.id, g.kind, g.value, g.reason,
          row_number() over (partition by g.kind, g.value order by g.ord) as place
        from unnest(p_ids, p_kinds, p_values, p_reasons) with ordinality as g (id, kind, value, reason, ord)
      ),
      judged as materialized (
        select
          g.*,
          (
            select s.id
            from suppression s
            where s.kind = g.kind
              and s.value = g.value
              and s.workspace_id = p_workspace
              and s.level = 'workspace'
              and s.applies_to = p_applies_to
              and s.signal_agent_id is not distinct from p_agent
              and (s.source = p_source or not app.is_removable(s.source))
              and (s.expires_at is null or s.expires_at > p_now)
            order by s.source = p_source desc, s.expires_at desc nulls first limit 1
          ) as there,
          (
            select s.id
            from (
              select 'domain' as kind, unnest(app.domains_above(split_part(g.value, '@', 2))) as value
              where g.kind = 'mail'
              union all
              select 'domain', d.value
              from unnest(app.domains_above(g.value)) d (value)
              where g.kind = 'domain' and d.value <> g.value
              union all
              select 'company', split_part(g.value, '@', 2)
              where g.kind = 'name_company'
              union all
              select g.kind, g.value
            ) x
            join suppression s on s.kind = x.kind and s.value = x.value
            where s.workspace_id = p_workspace
              and s.level = 'workspace'
              and s.source <> 'bounce'
              and s.applies_to in ('all_outreach', p_applies_to)
              and (s.signal_agent_id is null or s.signal_agent_id = p_agent)
              and (
                s.kind <> g.kind
                or s.value <> g.value
                or s.source <> p_source
                or s.applies_to <> p_applies_to
                or s.signal_agent_id is distinct from p_agent
              )
              and (s.expires_at is null or s.expires_at > p_now)
            limit 1
          ) as wider
        from given g
      ),
      made as (
        insert into suppression (
          id, workspace_id, level, kind, value, person_id, applies_to, source, reason, removable, created_by,
          created_at, expires_at, signal_agent_id
        )
        select
          j.id, p_workspace, 'workspace', j.kind, j.value,
          (
            select a.person_id
            from person_alias a
            where a.scope = app.person_scope(p_workspace)
              and (
                a.kind = 'mail' and j.kind = 'mail' and a.value = any (app.mail_hashes(j.value))
                or a.kind = 'profile' and j.kind = 'profile' and a.value = j.value
              )
            order by a.person_id limit 1
          ),
          p_applies_to, p_source, j.reason, app.is_removable(p_source), p_by, p_now, p_expires, p_agent
        from judged j
        where j.there is null and j.place = 1 and not p_dry
      ),
      kept as (
        update suppression s
        set expires_at = p_expires
        from judged j
        where s.id = j.there
          and not p_dry
          and s.removable
          and s.expires_at is not null
          and (p_expires is null or p_expires > s.expires_at)
      )
      select
        j.ord,
        case
          when j.there is not null or j.place > 1 then 'already'
          when j.wider is not null then 'covered'
          else 'added'
        end,
        case
          when j.there is not null then j.there
          else first_value(j.id) over (partition by j.kind, j.value order by j.ord)
        end,
        case when j.there is null then j.wider end
      from judged j
      order by j.ord;
  end $$;

alter function app.add_exclusions(bigint, text, uuid[], text[], text[], text[], text, text, text, bigint, text, boolean)
  owner to outrider_definer;
revoke execute on function
  app.add_exclusions(bigint, text, uuid[], text[], text[], text[], text, text, text, bigint, text, boolean) from public;
grant execute on function
  app.add_exclusions(bigint, text, uuid[], text[], text[], text[], text, text, text, bigint, text, boolean)
  to outrider_app, outrider_executor;
