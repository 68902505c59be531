-- How many leads of a campaign reach its scoreMin under any of its ICPs. One row per campaign that ever had scores, kept by whoever writes a score
-- or the scoreMin (app.keep_pool, app.keep_pool_least), and locked last of all.
create table outrider.campaign_pool (
  campaign_id text primary key,
  workspace_id text not null references outrider.workspace(id),
  -- the scoreMin that was counted with
  least double precision not null,
  -- each counted once
  leads int not null default 0,
  -- transaction that wrote scores of the campaign last: query lists by score compare those since
  scores_tx xid8 not null default pg_current_xact_id()
);

alter table outrider.campaign_pool enable row level security;
alter table outrider.campaign_pool force row level security;
create policy app_visible on outrider.campaign_pool for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.campaign_pool to outrider_definer using (true) with check (true);
create policy owner_all on outrider.campaign_pool to outrider_owner using (true) with check (true);
grant select on outrider.campaign_pool to outrider_app;
grant select, insert, update on outrider.campaign_pool to outrider_definer;
