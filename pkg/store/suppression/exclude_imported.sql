-- Excludes leads of p_workspace for which an imported file says so, and ends what is under way for those who may not be
-- contacted at all. p_leads, p_sources (import, unsubscribe; bounce bars the address for mail only), p_reasons: side by
-- side. p_now: epoch ms, product time. Returns how many leads it excludes, those that were so before among them; 0
-- where the caller may not use the workspace. Locks: as app.opt_out, in order of persons.
create or replace function app.exclude_imported(
  p_now bigint, p_workspace text, p_leads uuid[], p_sources text[], p_reasons text[]
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    met int;
    p record;
  begin
    if not app.may_use(p_workspace) then return 0; end if;
    with told as materialized (
      select l.id, app.person_now(l.person_id) as person_id, lower(l.email) as mail, t.source, t.reason
      from unnest(p_leads, p_sources, p_reasons) t (lead_id, source, reason)
      join lead l on l.id = t.lead_id and l.workspace_id = p_workspace and l.erased_at is null
    ),
    wanted as (
      select distinct on (x.kind, x.value, x.source) x.*
      from (
        select 'person' as kind, t.person_id::text as value, t.person_id, t.source, t.reason
        from told t
        where t.source <> 'bounce' and t.person_id is not null
        union all
        select 'mail', t.mail, null, t.source, t.reason
        from told t
        where t.source = 'bounce' and t.mail is not null
      ) x
      order by x.kind, x.value, x.source, x.reason
    ),
    made as (
      insert into suppression (
        id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
      )
      select
        gen_random_uuid(), p_workspace, 'workspace', w.kind, w.value, w.person_id, w.source, left(w.reason, 200),
        app.is_removable(w.source), 'import', p_now
      from wanted w
      where not exists (
        select 1
        from suppression s
        where s.workspace_id = p_workspace
          and s.level = 'workspace'
          and s.kind = w.kind
          and s.value = w.value
          and s.source = w.source
          and s.applies_to = 'all_outreach'
          and (s.expires_at is null or s.expires_at > p_now)
      )
    )
    select count(distinct t.id) into met from told t where t.source <> 'bounce' or t.mail is not null;
    for p in
      select distinct on (r.person_id) r.person_id, t.source
      from unnest(p_leads, p_sources) t (lead_id, source)
      join lead l on l.id = t.lead_id and l.workspace_id = p_workspace and l.erased_at is null
      join run r
        on r.person_id = app.person_now(l.person_id) and r.workspace_id = p_workspace and r.ended_at is null
      where t.source <> 'bounce'
      order by r.person_id, t.source desc
    loop
      perform app.opt_out(p_now, p_workspace, p.person_id, p.source, 'import');
    end loop;
    return met;
  end $$;

alter function app.exclude_imported(bigint, text, uuid[], text[], text[]) owner to outrider_definer;
revoke execute on function app.exclude_imported(bigint, text, uuid[], text[], text[]) from public;
grant execute on function app.exclude_imported(bigint, text, uuid[], text[], text[]) to outrider_app;
