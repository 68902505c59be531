-- Locks the pool of each campaign in one order, and makes those that are missing, for p_workspace.
create or replace function app.lock_pools(p_campaigns text[], p_workspace text) returns void
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    -- A writer of a campaign's scoreMin would find no row now to count anew, and this one would not see what it
    -- writes.
    perform 1
    from campaign c
    where c.id = any (p_campaigns)
      and not exists (select 1 from campaign_pool k where k.campaign_id = c.id)
    order by c.id for share of c;
    insert into campaign_pool (campaign_id, workspace_id, least)
    select c.id, p_workspace, app.score_min((select x.settings from campaign x where x.id = c.id))
    from (select distinct unnest(p_campaigns) as id order by 1) c
    where not exists (select 1 from campaign_pool k where k.campaign_id = c.id)
    order by c.id
    on conflict do nothing;
    perform 1
    from campaign_pool k
    where k.campaign_id = any (p_campaigns)
    order by k.campaign_id for no key update;
  end $$;

revoke execute on function app.lock_pools(text[], text) from public;
grant execute on function app.lock_pools(text[], text) to outrider_definer;
