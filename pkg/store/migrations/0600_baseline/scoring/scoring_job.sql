-- A pass that scores the candidates of an ICP anew, in parts under a lease, by any server. Queued by tools and once a day for fading scores; one
-- live per ICP, finished ones stay for people.
create table outrider.scoring_job (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null,
  icp_id uuid not null references outrider.icp(id) on delete cascade,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  -- leads to score, as of its beginning
  total int not null default 0,
  -- leads scored so far
  done int not null default 0,
  -- leads up to this one are scored
  after_lead uuid,
  -- product time of the pass: decay is judged at it
  pass_at bigint not null,
  -- server that works on it
  holder uuid,
  -- real time
  lease_until timestamptz,
  -- parts that failed in a row
  failures int not null default 0,
  error text not null default '',
  -- epoch ms, product time, as finished_at
  created_at bigint not null,
  finished_at bigint,
  -- A pass over the leads that have a signal score only; a full pass that is asked for meanwhile takes its place.
  only_fading boolean not null default false
);

create index scoring_job_icp on outrider.scoring_job (icp_id, created_at desc);
create unique index scoring_job_live on outrider.scoring_job (icp_id) where status in ('queued', 'running');
create index scoring_job_open on outrider.scoring_job (created_at) where status in ('queued', 'running');

alter table outrider.scoring_job enable row level security;
alter table outrider.scoring_job force row level security;
create policy app_visible on outrider.scoring_job to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.scoring_job to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.scoring_job to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.scoring_job to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.scoring_job to outrider_app;
grant select, insert, update, delete on outrider.scoring_job to outrider_definer;
