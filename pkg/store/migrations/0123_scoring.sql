-- Scoring as a job: one live pass per ICP, resumed where it stands by whoever finds its lease lapsed (real time).
set local search_path = outrider, app, public;

create table outrider.scoring_job (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null,
  icp_id uuid not null references outrider.icp (id) on delete cascade,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  total int not null default 0,
  done int not null default 0,
  after_lead uuid,                          -- leads up to this one are scored
  pass_at bigint not null,                  -- product time of the pass: decay is judged at it
  holder uuid,
  lease_until timestamptz,
  failures int not null default 0,
  error text not null default '',
  created_at bigint not null,
  finished_at bigint
);
create unique index scoring_job_live on outrider.scoring_job (icp_id) where status in ('queued', 'running');
create index scoring_job_open on outrider.scoring_job (created_at) where status in ('queued', 'running');
create index scoring_job_icp on outrider.scoring_job (icp_id, created_at desc);

alter table outrider.scoring_job enable row level security;
alter table outrider.scoring_job force row level security;
create policy owner_all on outrider.scoring_job to outrider_owner using (true) with check (true);
create policy definer_all on outrider.scoring_job to outrider_definer using (true) with check (true);
create policy app_visible on outrider.scoring_job to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.scoring_job to outrider_executor using (workspace_id = (select app.workspace())) with check (workspace_id = (select app.workspace()));
grant select, insert, update, delete on outrider.scoring_job to outrider_app, outrider_definer;

-- Candidates of a campaign are found by lead, a chunk at a time.
create index if not exists lead_list_member_lead on outrider.lead_list_member (lead_id, lead_list_id);
create index if not exists lead_private_scored on outrider.lead (workspace_id, id) where workspace_id is not null and erased_at is null;
