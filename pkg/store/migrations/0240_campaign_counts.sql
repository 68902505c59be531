-- How many lists, workflows, ICPs, personas and phases a campaign has, kept in its row by the transactions that add and
-- remove them: a campaign is read far more often, and each count by a query costs as much as the row.
set local search_path = outrider, app, public;

alter table outrider.campaign
  add column lead_lists int not null default 0,
  add column workflows int not null default 0,
  add column icps int not null default 0,
  add column personas int not null default 0,
  add column phases int not null default 0;

-- Argument: the column. A row counts while it is there and not tombstoned; tables without deleted_at have no tombstones.
create function app.keep_campaign_count() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    before_id text := case when tg_op <> 'INSERT' and (to_jsonb(old) ->> 'deleted_at') is null then old.campaign_id end;
    after_id text := case when tg_op <> 'DELETE' and (to_jsonb(new) ->> 'deleted_at') is null then new.campaign_id end;
  begin
    if before_id is not distinct from after_id then return null; end if;
    -- In one order, so that two transactions never wait for each other.
    execute format('update campaign set %1$I = %1$I + case when id = $1 then 1 else -1 end where id in (select c.id from campaign c where c.id in ($1, $2) and c.workspace_id = $3 order by c.id for no key update)', tg_argv[0])
      using after_id, before_id, case tg_op when 'DELETE' then old.workspace_id else new.workspace_id end;
    return null;
  end
  $$;
alter function app.keep_campaign_count() owner to outrider_definer;
revoke execute on function app.keep_campaign_count() from public;

do $$
declare kept record;
begin
  for kept in select * from (values ('lead_list', 'lead_lists', true), ('workflow', 'workflows', true), ('icp', 'icps', true), ('persona', 'personas', false), ('phase', 'phases', false)) as k (child, name, tombstones) loop
    execute format('create trigger keep_campaign_count after insert or delete on outrider.%I for each row execute function app.keep_campaign_count(%L)', kept.child, kept.name);
    execute format('create trigger keep_campaign_count_moved after update on outrider.%I for each row when (old.campaign_id is distinct from new.campaign_id%s) execute function app.keep_campaign_count(%L)',
      kept.child, case when kept.tombstones then ' or (old.deleted_at is null) <> (new.deleted_at is null)' else '' end, kept.name);
    execute format('update outrider.campaign c set %I = k.n from (select campaign_id, count(*)::int as n from outrider.%I where campaign_id is not null %s group by 1) k where k.campaign_id = c.id',
      kept.name, kept.child, case when kept.tombstones then 'and deleted_at is null' else '' end);
  end loop;
end $$;

-- Leads with a score of at least p_min under any ICP of a campaign, as far as the caller sees. A function, so that a
-- campaign without an ICP does not pay for the query.
create function app.leads_in_pool(p_campaign text, p_min float8) returns int
  language sql stable set search_path = outrider, app, pg_catalog
  as $$ select count(*)::int from (select distinct lead_id from lead_score where campaign_id = p_campaign and total >= p_min) s $$;
revoke execute on function app.leads_in_pool(text, float8) from public;
grant execute on function app.leads_in_pool(text, float8) to outrider_app;
