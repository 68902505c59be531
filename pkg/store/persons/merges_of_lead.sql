-- Returns how often others were found to be one with the person that a lead is to p_workspace, when last and by which
-- kind of evidence, of merges that stand. No row where there were none, or where the caller may not use the workspace.
create or replace function app.merges_of_lead(p_workspace text, p_lead uuid)
  returns table (merges int, last_at bigint, kind text)
  language sql stable rows 1 security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select
      count(*)::int,
      (extract(epoch from max(m.merged_at)) * 1000)::bigint,
      (array_agg(m.evidence ->> 'kind' order by m.merged_at desc))[1]
    from (
      select l.person_id as id
      from lead l
      where l.id = p_lead and l.workspace_id = p_workspace
      union all
      select o.person_id
      from pool_person o
      where o.lead_id = p_lead and o.scope = app.person_scope(p_workspace)
    ) who
    cross join lateral (
      select x.merged_at, x.evidence
      from person_merge x
      where x.into_person = who.id and x.undone_at is null
      limit 1000
    ) m
    where app.may_use(p_workspace)
    having count(*) > 0
  $$;

alter function app.merges_of_lead(text, uuid) owner to outrider_definer;
revoke execute on function app.merges_of_lead(text, uuid) from public;
grant execute on function app.merges_of_lead(text, uuid) to outrider_app;
