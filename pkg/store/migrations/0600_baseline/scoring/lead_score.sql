-- The score of a lead under one ICP. Written by scoring passes, imports and changes of a lead, signals; goes with the ICP or the lead's erasure.
-- What reaches the campaign's scoreMin is its pool. Source: catalog record LeadScore.
create table outrider.lead_score (
  workspace_id text not null,
  campaign_id text not null,
  icp_id uuid not null references outrider.icp(id),
  lead_id uuid not null references outrider.lead(id),
  -- 0 to 100
  icp_score real not null,
  -- 0 to the cap of signals, as of computed_at: it fades
  signal_score real not null,
  -- icp_score + signal_score
  total real not null,
  -- [{criterion, matched, points, evidence}]
  reasons jsonb not null default '[]',
  -- epoch ms, product time
  computed_at bigint not null,
  primary key (icp_id, lead_id)
) with (fillfactor = 70);

create index lead_score_lead on outrider.lead_score (workspace_id, lead_id);
-- Search in a campaign, newest leads first.
create index lead_score_page on outrider.lead_score (campaign_id, lead_id);
-- The pool, best first.
create index lead_score_pool on outrider.lead_score (campaign_id, total desc, lead_id) include (icp_id);
-- Who fades.
create index lead_score_signals on outrider.lead_score (icp_id, lead_id) where signal_score > 0;

alter table outrider.lead_score enable row level security;
alter table outrider.lead_score force row level security;
create policy app_visible on outrider.lead_score to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_score to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead_score to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.lead_score to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_score to outrider_app;
grant select, insert, update, delete on outrider.lead_score to outrider_definer;
grant select, insert, update on outrider.lead_score to outrider_executor;

create trigger keep_pool_delete after delete on outrider.lead_score referencing old table as old_scores for each statement execute function app.keep_pool();
create trigger keep_pool_insert after insert on outrider.lead_score referencing new table as new_scores for each statement execute function app.keep_pool();
create trigger keep_pool_update after update on outrider.lead_score referencing old table as old_scores new table as new_scores for each statement execute function app.keep_pool();
