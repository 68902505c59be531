-- Trigger: counts a campaign's pool anew when its scoreMin changes. A campaign without a pool has no scores yet:
-- app.lock_pools makes it with the scoreMin of then.
create or replace function app.keep_pool_least() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform 1 from campaign_pool k where k.campaign_id = new.id for no key update;
    update campaign_pool k
    set
      least = app.score_min(new.settings),
      leads = (
        select count(distinct s.lead_id)
        from lead_score s
        where s.campaign_id = new.id and s.total >= app.score_min(new.settings)
      )
    where k.campaign_id = new.id;
    return null;
  end $$;

alter function app.keep_pool_least() owner to outrider_definer;
revoke execute on function app.keep_pool_least() from public;
