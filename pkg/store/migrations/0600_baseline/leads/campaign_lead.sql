-- A lead that was imported for one campaign is a candidate of that campaign only; a lead without a row here, of every campaign. Written by imports
-- and jobs that were given a campaign; goes with the erasure of the lead or the purge of the campaign.
create table outrider.campaign_lead (
  workspace_id text not null,
  campaign_id text not null references outrider.campaign(id),
  lead_id uuid not null references outrider.lead(id),
  -- epoch ms UTC, product time
  added_at bigint not null,
  primary key (campaign_id, lead_id)
);

-- The campaigns of a lead.
create index campaign_lead_lead on outrider.campaign_lead (workspace_id, lead_id);

alter table outrider.campaign_lead enable row level security;
alter table outrider.campaign_lead force row level security;
create policy app_visible on outrider.campaign_lead to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.campaign_lead to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.campaign_lead to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.campaign_lead to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.campaign_lead to outrider_app;
grant select, insert, update, delete on outrider.campaign_lead to outrider_definer;
grant select on outrider.campaign_lead to outrider_executor;
