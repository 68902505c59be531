-- Under row-level security the planner knows nothing of how common a word is (statistics are hidden from operators that may
-- leak), so the second step of a search is told: a few leads with a high score are looked at one by one instead of every
-- lead with a rare title; three or more criteria, of which none need be rare, are met by a longer walk or by the meeting
-- of their indexes.

-- Statement of the second step where few leads have the wanted score: they are the candidates.
create function app.lead_scored_gather_sql(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text language sql immutable
  as $$
    select format('with s as materialized (select distinct x.lead_id as id from lead_score x where x.campaign_id = %L and x.workspace_id = %L and x.total >= %L::real and x.lead_id < %L::uuid) select l.id from s cross join lateral (select * from lead y where y.id = s.id offset 0) l where %s and %s and %s order by l.id desc limit %s',
      p ->> 'campaignId', p_workspace, p ->> 'minScore', p_before, app.lead_criteria(p), app.lead_tenant(p_workspace, p), app.lead_belonging(p_workspace, p - 'minScore'), p_limit)
  $$;

-- A page of a search: ids newest first, before p_before (null: from the newest).
create or replace function app.find_leads(p_workspace text, p jsonb, p_before uuid, p_limit int) returns uuid[]
  language plpgsql stable security definer set search_path = outrider, app, public, pg_catalog
  set random_page_cost = 1.1 set jit = off set enable_seqscan = off set max_parallel_workers_per_gather = 0
  as $$
  declare
    found_ids uuid[] := '{}';
    more_ids uuid[];
    walked int;
    behind uuid := p_before;
    last_id uuid;
    most int;
    total int := 0;
    criteria int := (select count(*) from unnest(array['words', 'titles', 'industries', 'keywords', 'locations', 'seniorities', 'sizes', 'hasEmail']) k where p ? k);
    scored int;
  begin
    if not app.may_use(p_workspace) then return '{}'; end if;
    -- Most pages are full after a few hundred leads; what is rarer than one in a hundred or so is gathered by index.
    foreach most in array array[300, case when p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then 2000 else 4000 end] loop
      execute app.lead_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
      total := total + walked;
    end loop;
    -- Where the walk found some, going on a little costs less than gathering every match there is; a walk that came short goes on once more.
    for turn in 1..2 loop
      most := total * (p_limit - cardinality(found_ids)) * 2 / greatest(1, cardinality(found_ids));
      exit when most > (case when criteria >= 3 then 25000 else 12000 end);
      execute app.lead_walk_sql(p_workspace, p, behind, p_limit - cardinality(found_ids), most) into more_ids, walked, last_id;
      found_ids := found_ids || more_ids;
      if cardinality(found_ids) >= p_limit or walked < most then return found_ids; end if;
      behind := last_id;
      total := total + walked;
    end loop;
    if p ? 'minScore' then
      select count(*) into scored from (select 1 from lead_score s where s.campaign_id = p ->> 'campaignId' and s.workspace_id = p_workspace
        and s.total >= (p ->> 'minScore')::real limit 5001) x;
      if scored <= 5000 then
        execute format('select array(%s)', app.lead_scored_gather_sql(p_workspace, p, behind, p_limit - cardinality(found_ids))) into more_ids;
        return found_ids || more_ids;
      end if;
    end if;
    -- Dear pages make the planner let indexes meet before it reads them; the function's own setting returns at its end.
    if criteria >= 3 then perform set_config('random_page_cost', '8', true); end if;
    execute format('select array(%s)', app.lead_gather_sql(p_workspace, p, behind, p_limit - cardinality(found_ids))) into more_ids;
    return found_ids || more_ids;
  end $$;

revoke execute on function app.lead_scored_gather_sql(text, jsonb, uuid, int) from public;
grant execute on function app.lead_scored_gather_sql(text, jsonb, uuid, int) to outrider_definer;
