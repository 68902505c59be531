-- Who is found to be another person at the moment of an enrolment or a hand-over is contacted as that person: before, the new run
-- stayed with the one who was merged away, beside the claims, keys and exclusions of the person that it is, and both were written to.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.enrol(text, text, bigint, uuid[], uuid[], text, text)'::regprocedure);
  after := replace(before, '    recontact bigint;
', '    recontact bigint;
    moved uuid[] := ''{}'';
    moved_runs uuid[] := ''{}'';
');
  after := replace(after, '    return query
    with asked as (', '    for lead_id, run_id, skipped in
    with asked as (');
  -- A merge changes the leads of the person first and waits here for those who are being enrolled, or they for it.
  after := replace(after, '    claimed as (
      insert into contact_claim', '    locked as materialized (
      select l.id from judged j join lead l on l.id = j.lead_id and l.person_id = j.person_id and l.erased_at is null
      where j.reason is null order by l.id for share of l
    ),
    claimed as (
      insert into contact_claim');
  after := replace(after, 'where j.reason is null and j.scope_key is not null order by j.person_id',
    'where j.reason is null and j.scope_key is not null and j.lead_id in (select k.id from locked k) order by j.person_id');
  after := replace(after, 'from judged j where j.reason is null and (j.scope_key is null', 'from judged j where j.reason is null and j.lead_id in (select k.id from locked k) and (j.scope_key is null');
  after := replace(after, '    select j.lead_id, case when s.id is not null then j.run_id end, case when s.id is null then coalesce(j.reason, ''claimed'') end
    from judged j left join started s on s.id = j.run_id order by j.ord;
', '    select j.lead_id, j.run_id, case when s.id is null then coalesce(j.reason, case when j.lead_id in (select k.id from locked k) then ''claimed'' else ''moved'' end) end
    from judged j left join started s on s.id = j.run_id order by j.ord
    loop
      if skipped = ''moved'' then
        moved := moved || lead_id;
        moved_runs := moved_runs || run_id;
      else
        if skipped is not null then run_id := null; end if;
        return next;
      end if;
    end loop;
    -- Judged again as who they are now.
    if cardinality(moved) > 0 then return query select * from app.enrol(p_workspace, p_workflow, p_now, moved, moved_runs, p_entry, p_source); end if;
');
  if (select count(*) from regexp_matches(after, 'moved_runs uuid|for lead_id, run_id|locked as materialized|in \(select k.id from locked k\)|end loop', 'g')) <> 7 then
    raise exception 'app.enrol does not read as expected';
  end if;
  execute after;

  before := pg_get_functiondef('app.merge_person(uuid, uuid)'::regprocedure);
  after := replace(before, '    update lead set person_id = p_into where person_id = p_from;
    update run set person_id = p_into where person_id = p_from;
', '    update run set person_id = p_into where person_id = p_from;
    -- A run that was handed over by one of these has come to be meanwhile.
    update run set person_id = p_into where person_id = p_from;
');
  -- First of all: who is enrolling them or learns of them is waited for.
  after := replace(after, '    update person set merged_into', '    update lead set person_id = p_into where person_id = p_from;
    update person set merged_into');
  if after !~ 'update lead.*update person set.*update run.*update run' then raise exception 'app.merge_person does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.resolve_persons(uuid[], bigint)'::regprocedure);
  after := replace(before, '      select array_agg(distinct i.id order by i.id) into found_ids', '      -- As others leave it who merged persons meanwhile.
      select x.person_id into l.person_id from lead x where x.id = l.id for no key update;
      select array_agg(distinct i.id order by i.id) into found_ids');
  if after = before then raise exception 'app.resolve_persons does not read as expected'; end if;
  execute after;
end $$;
