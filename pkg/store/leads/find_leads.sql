-- Returns a page of a search: ids of at most p_limit leads of the pool and of the workspace's own, newest first,
-- below p_before (null: from the newest). Fewer than p_limit: there are no more. It walks leads in the order of their
-- ids first, 300, then as far as what it saw says that the page needs; then it gathers by index: two windows of the
-- newest leads, then all that is left. Each way finds the same, they differ in time. Source: catalog
-- svc_search_leads; times: `make bench-search`.
-- p: as app.lead_criteria takes it, made by leadFilter. Empty where the caller may not use p_workspace. It is a
-- definer function, since under row-level security no condition that may leak (ilike, @@) uses an index; the tenant
-- is a condition of each statement (app.lead_tenant) instead.
create or replace function app.find_leads(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
  language plpgsql stable security definer
  set search_path = outrider, app, public, pg_catalog
  -- planner: in_order
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    start uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    behind uuid := start;
    last_id uuid;
    most int := 300;
    total int := 0;
    wanted int;
    sample jsonb;
    share float8;
    reach float8;
    every float8;
    belongs boolean := p ?| array['companyId', 'leadListId', 'tags', 'minScore'];
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Most pages are full after a few hundred leads. A sample of the next tells how far the others have to walk,
    -- until a longer walk has seen more.
    loop
      wanted := p_limit - cardinality(found_ids);
      execute format('select array(%s)', app.lead_walk_sql(p_workspace, p, behind, wanted, most)) into more_ids;
      found_ids := found_ids || more_ids;
      if cardinality(more_ids) >= wanted then return found_ids; end if;
      execute format(
        'select count(*)::int, (array_agg(w.id order by w.id desc))[count(*)] from (%s) w',
        app.lead_walk(p_workspace, p, behind, most)
      ) into walked, last_id;
      if walked < most then return found_ids; end if;
      behind := last_id;
      total := total + walked;
      wanted := p_limit - cardinality(found_ids);
      share := (cardinality(found_ids) + 0.5) / total;
      if total = 300 and not belongs then
        sample := app.lead_sample(p_workspace, p, behind, 500);
        share := app.sampled_share(sample);
      end if;
      most := case when belongs and total = 300 then 2000 else least(25000, 1.5 * wanted / share) end;
      exit when most > (case when belongs then 25000 else 2500 end) or total > 15000;
    end loop;
    -- A sample says little of what is rare: the first window, an eighth of all leads at most, says more. One gather
    -- of all costs less than windows of much of them.
    every := (select greatest(reltuples, 1) from pg_class where oid = 'outrider.lead'::regclass);
    for turn in 1..2 loop
      reach := 2 * wanted / share;
      exit when belongs or reach > every / (case turn when 1 then 4 else 3 end);
      reach := least(reach, every / (case turn when 1 then 8 else 1 end));
      select w.found_ids, w.since
      into more_ids, last_id
      from app.gather_window(p_workspace, p, behind, wanted, sample, reach) w;
      exit when last_id is null;
      found_ids := found_ids || more_ids;
      if cardinality(more_ids) >= wanted then return found_ids; end if;
      wanted := wanted - cardinality(more_ids);
      behind := last_id;
      share := (cardinality(more_ids) + 0.5) / reach;
    end loop;
    if not belongs
      and p ->> 'visibility' = 'all'
      and (
        select count(*)
        from (
          select 1
          from lead l
          where l.workspace_id = p_workspace
            and l.workspace_id is not null
            and l.erased_at is null
            and l.id >= behind
            and l.id < start
          limit total / 2
        ) seen
      ) >= total / 2
    then
      more_ids := app.find_leads(p_workspace, p || '{"visibility": "private"}', behind, wanted);
      if cardinality(more_ids) < wanted
        or exists (
          select 1
          from lead l
          where l.workspace_id is null
            and l.erased_at is null
            and l.id < behind
            and l.id > more_ids[wanted]
        )
      then
        more_ids := more_ids || app.find_leads(p_workspace, p || '{"visibility": "shared"}', behind, wanted);
      end if;
      return found_ids || array(select id from unnest(more_ids) id order by id desc limit wanted);
    end if;
    return found_ids || app.gather_leads(p_workspace, p, behind, wanted, sample);
  end $$;

alter function app.find_leads(text, jsonb, uuid, int) owner to outrider_definer;
revoke execute on function app.find_leads(text, jsonb, uuid, int) from public;
grant execute on function app.find_leads(text, jsonb, uuid, int) to outrider_app, outrider_executor;
