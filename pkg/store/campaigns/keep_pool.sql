-- Trigger of lead_score: counts leads that came into the campaign's pool or went out (a total of at least scoreMin
-- under any ICP), and notes the transaction for query lists by score. A statement must not both insert a score of a
-- lead and update another of it in the same campaign: neither trigger sees what the other one saw. Locks: pools in
-- order of campaigns, as the last of all that its transaction locks.
create or replace function app.keep_pool() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    campaigns text[];
    workspace text;
  begin
    if tg_op = 'DELETE' then
      select array_agg(distinct campaign_id), min(workspace_id)
      into campaigns, workspace
      from old_scores;
    else
      select array_agg(distinct campaign_id), min(workspace_id)
      into campaigns, workspace
      from new_scores;
    end if;
    if campaigns is null then return null; end if;
    perform app.lock_pools(campaigns, workspace);
    update campaign_pool k
    set scores_tx = pg_current_xact_id()
    where k.campaign_id = any (campaigns);
    if tg_op = 'INSERT' then
      with touched as (
        select distinct n.campaign_id, n.lead_id
        from new_scores n
        join campaign_pool k using (campaign_id)
        where n.total >= k.least
      ),
      came as (
        select t.campaign_id, count(*)::int as n
        from touched t
        join campaign_pool k using (campaign_id)
        where not exists (
          select 1
          from lead_score s
          where s.campaign_id = t.campaign_id
            and s.lead_id = t.lead_id
            and s.total >= k.least
            and not exists (select 1 from new_scores n where n.icp_id = s.icp_id and n.lead_id = s.lead_id)
        )
        group by 1
      )
      update campaign_pool k
      set leads = k.leads + c.n
      from came c
      where c.campaign_id = k.campaign_id;
    elsif tg_op = 'DELETE' then
      with touched as (
        select distinct o.campaign_id, o.lead_id
        from old_scores o
        join campaign_pool k using (campaign_id)
        where o.total >= k.least
      ),
      went as (
        select t.campaign_id, count(*)::int as n
        from touched t
        join campaign_pool k using (campaign_id)
        where not exists (
          select 1
          from lead_score s
          where s.campaign_id = t.campaign_id and s.lead_id = t.lead_id and s.total >= k.least
        )
        group by 1
      )
      update campaign_pool k
      set leads = k.leads - w.n
      from went w
      where w.campaign_id = k.campaign_id;
    else
      with crossed as (
        select
          n.campaign_id,
          n.lead_id,
          bool_or(o.total >= k.least) as was,
          bool_or(n.total >= k.least) as is
        from new_scores n
        join old_scores o using (icp_id, lead_id)
        join campaign_pool k on k.campaign_id = n.campaign_id
        group by 1, 2
        having bool_or(o.total >= k.least) <> bool_or(n.total >= k.least)
      ),
      moved as (
        select c.campaign_id, sum(case when c.is then 1 else -1 end)::int as n
        from crossed c
        join campaign_pool k using (campaign_id)
        where not exists (
          select 1
          from lead_score s
          where s.campaign_id = c.campaign_id
            and s.lead_id = c.lead_id
            and s.total >= k.least
            and not exists (select 1 from new_scores n where n.icp_id = s.icp_id and n.lead_id = s.lead_id)
        )
        group by 1
      )
      update campaign_pool k
      set leads = k.leads + m.n
      from moved m
      where m.campaign_id = k.campaign_id and m.n <> 0;
    end if;
    return null;
  end $$;

alter function app.keep_pool() owner to outrider_definer;
revoke execute on function app.keep_pool() from public;
