-- How many leads of a campaign reach its scoreMin under any of its ICPs, kept by whoever writes a score or the scoreMin: a
-- campaign is read far more often, and counting costs with every lead. One row per campaign with scores, locked by its
-- writers, so that the count is exact when they run side by side.
set local search_path = outrider, app, public;

create table outrider.campaign_pool (
  campaign_id text primary key,
  workspace_id text not null references outrider.workspace (id),
  least float8 not null,                    -- the scoreMin that was counted with
  leads int not null default 0
);
alter table outrider.campaign_pool enable row level security;
alter table outrider.campaign_pool force row level security;
create policy owner_all on outrider.campaign_pool to outrider_owner using (true) with check (true);
create policy definer_all on outrider.campaign_pool to outrider_definer using (true) with check (true);
create policy app_visible on outrider.campaign_pool for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
grant select on outrider.campaign_pool to outrider_app;
grant select, insert, update on outrider.campaign_pool to outrider_definer;

-- The scoreMin in a campaign's settings. The 50 is SCORE_MIN of the tools.
create function app.score_min(p_settings jsonb) returns float8 language sql immutable
  as $$ select coalesce((p_settings ->> 'scoreMin')::float8, 50) $$;

-- Locks the row of each campaign, in one order, and makes those that are missing.
create function app.lock_pools(p_campaigns text[], p_workspace text) returns void
  language plpgsql volatile set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into campaign_pool (campaign_id, workspace_id, least)
      select c.id, p_workspace, app.score_min((select x.settings from campaign x where x.id = c.id)) from (select distinct unnest(p_campaigns) as id order by 1) c
      where not exists (select 1 from campaign_pool k where k.campaign_id = c.id) order by c.id
      on conflict do nothing;
    perform 1 from campaign_pool k where k.campaign_id = any (p_campaigns) order by k.campaign_id for no key update;
  end $$;

-- After a statement on lead_score: those whose leads came in or went out count so. A statement must not both insert a score
-- of a lead and update another of it in the same campaign: neither trigger sees what the other one saw.
create function app.keep_pool() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    campaigns text[];
    workspace text;
  begin
    if tg_op = 'DELETE' then select array_agg(distinct campaign_id), min(workspace_id) into campaigns, workspace from old_scores;
    else select array_agg(distinct campaign_id), min(workspace_id) into campaigns, workspace from new_scores; end if;
    if campaigns is null then return null; end if;
    perform app.lock_pools(campaigns, workspace);
    if tg_op = 'INSERT' then
      with touched as (select distinct n.campaign_id, n.lead_id from new_scores n join campaign_pool k using (campaign_id) where n.total >= k.least),
      came as (select t.campaign_id, count(*)::int as n from touched t join campaign_pool k using (campaign_id)
        where not exists (select 1 from lead_score s where s.campaign_id = t.campaign_id and s.lead_id = t.lead_id and s.total >= k.least
          and not exists (select 1 from new_scores n where n.icp_id = s.icp_id and n.lead_id = s.lead_id)) group by 1)
      update campaign_pool k set leads = k.leads + c.n from came c where c.campaign_id = k.campaign_id;
    elsif tg_op = 'DELETE' then
      with touched as (select distinct o.campaign_id, o.lead_id from old_scores o join campaign_pool k using (campaign_id) where o.total >= k.least),
      went as (select t.campaign_id, count(*)::int as n from touched t join campaign_pool k using (campaign_id)
        where not exists (select 1 from lead_score s where s.campaign_id = t.campaign_id and s.lead_id = t.lead_id and s.total >= k.least) group by 1)
      update campaign_pool k set leads = k.leads - w.n from went w where w.campaign_id = k.campaign_id;
    else
      with crossed as (
        select n.campaign_id, n.lead_id, bool_or(o.total >= k.least) as was, bool_or(n.total >= k.least) as is
        from new_scores n join old_scores o using (icp_id, lead_id) join campaign_pool k on k.campaign_id = n.campaign_id
        group by 1, 2 having bool_or(o.total >= k.least) <> bool_or(n.total >= k.least)),
      moved as (select c.campaign_id, sum(case when c.is then 1 else -1 end)::int as n from crossed c join campaign_pool k using (campaign_id)
        where not exists (select 1 from lead_score s where s.campaign_id = c.campaign_id and s.lead_id = c.lead_id and s.total >= k.least
          and not exists (select 1 from new_scores n where n.icp_id = s.icp_id and n.lead_id = s.lead_id)) group by 1)
      update campaign_pool k set leads = k.leads + m.n from moved m where m.campaign_id = k.campaign_id and m.n <> 0;
    end if;
    return null;
  end $$;

-- Another scoreMin is counted anew.
create function app.keep_pool_least() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform 1 from campaign_pool k where k.campaign_id = new.id for no key update;
    update campaign_pool k set least = app.score_min(new.settings),
        leads = (select count(distinct s.lead_id) from lead_score s where s.campaign_id = new.id and s.total >= app.score_min(new.settings))
      where k.campaign_id = new.id;
    return null;
  end $$;

alter function app.keep_pool() owner to outrider_definer;
alter function app.keep_pool_least() owner to outrider_definer;
revoke execute on function app.score_min(jsonb), app.lock_pools(text[], text), app.keep_pool(), app.keep_pool_least() from public;
grant execute on function app.score_min(jsonb), app.lock_pools(text[], text) to outrider_definer;

create trigger keep_pool_insert after insert on outrider.lead_score referencing new table as new_scores for each statement execute function app.keep_pool();
create trigger keep_pool_update after update on outrider.lead_score referencing old table as old_scores new table as new_scores for each statement execute function app.keep_pool();
create trigger keep_pool_delete after delete on outrider.lead_score referencing old table as old_scores for each statement execute function app.keep_pool();
create trigger keep_pool_least after update on outrider.campaign for each row
  when ((old.settings ->> 'scoreMin') is distinct from (new.settings ->> 'scoreMin')) execute function app.keep_pool_least();

insert into outrider.campaign_pool (campaign_id, workspace_id, least, leads)
  select s.campaign_id, min(s.workspace_id), app.score_min((select c.settings from campaign c where c.id = s.campaign_id)),
    count(distinct s.lead_id) filter (where s.total >= app.score_min((select c.settings from campaign c where c.id = s.campaign_id)))
  from outrider.lead_score s group by 1;
drop function app.leads_in_pool(text, float8);
