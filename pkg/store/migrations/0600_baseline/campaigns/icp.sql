-- An ideal customer profile of a campaign: what leads are scored by. Written by tools; a deleted one is a tombstone that loses its scores at once
-- and its content after retentionDays.
create table outrider.icp (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign(id),
  titles text[] not null default '{}',
  industries text[] not null default '{}',
  seniorities text[] not null default '{}',
  company_sizes text[] not null default '{}',
  keywords text[] not null default '{}',
  -- end of the last full pass; null: never. Times are epoch ms, product time
  scored_at bigint,
  -- something changed since, that scores do not show
  scores_stale boolean not null default true,
  created_at bigint not null,
  deleted_at bigint,
  -- pass time of the last scoring of signals that fade
  faded_at bigint,
  -- when its content went
  purged_at bigint
);

create index icp_campaign on outrider.icp (workspace_id, campaign_id, id);
create index icp_deleted on outrider.icp (deleted_at) where deleted_at is not null and purged_at is null;

alter table outrider.icp enable row level security;
alter table outrider.icp force row level security;
create policy app_visible on outrider.icp to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.icp to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.icp to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.icp to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.icp to outrider_app;
grant select, insert, update, delete on outrider.icp to outrider_definer;
grant select on outrider.icp to outrider_executor;

create trigger keep_campaign_count after insert or delete on outrider.icp for each row execute function app.keep_campaign_count('icps');
create trigger keep_campaign_count_moved after update on outrider.icp for each row
  when (old.campaign_id is distinct from new.campaign_id or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function app.keep_campaign_count('icps');
