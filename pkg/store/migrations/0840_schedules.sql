-- One room for time: what is to be done again and again, or at one instant, for a workspace.
create table outrider.schedule (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  -- what is done: a handler of the engine (pkg/engine/schedule)
  kind text not null,
  -- null: of the workspace
  campaign_id text references outrider.campaign(id),
  -- for people
  name text not null,
  -- of the kind
  settings jsonb not null default '{}',
  -- when, one of the three: cron with an IANA zone, every so many ms from a moment on, or one instant (epoch ms)
  cron text,
  timezone text,
  every_ms bigint check (every_ms >= 900000),
  every_from bigint,
  once_at bigint,
  enabled boolean not null default false,
  -- product time, as the next: the time that it comes for, and when work on it starts (spread); null: never
  next_for bigint,
  next_at bigint,
  created_at bigint not null,
  deleted_at bigint,
  -- rises with each change by a person
  version int not null default 1,
  check (num_nonnulls(cron, every_ms, once_at) = 1),
  check ((cron is null) = (timezone is null)),
  check ((every_ms is null) = (every_from is null)),
  check ((next_for is null) = (next_at is null))
);

create index schedule_due on outrider.schedule (workspace_id, next_at) where enabled and deleted_at is null;
create index schedule_campaign on outrider.schedule (campaign_id, created_at, id);

alter table outrider.schedule enable row level security;
alter table outrider.schedule force row level security;
create policy app_visible on outrider.schedule to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.schedule to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.schedule to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.schedule to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.schedule to outrider_app;
grant select, insert, update, delete on outrider.schedule to outrider_definer;
grant select on outrider.schedule to outrider_executor;
grant update (next_for, next_at) on outrider.schedule to outrider_executor;

-- One time of a schedule: who inserts it first makes it, and no two are under way at once.
create table outrider.scheduled_run (
  id uuid primary key,
  schedule_id uuid not null references outrider.schedule(id) on delete cascade,
  workspace_id text not null,
  -- epoch ms, product time, as all bigints here
  scheduled_for bigint not null,
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'skipped')),
  -- when its next step is due
  due_at bigint not null,
  -- the lease of the workspace under which it is worked on, and until when (real time) without a sign of life
  epoch bigint,
  lease_until timestamptz,
  -- how often it was taken, and steps that failed in a row, without a step in between that came to its end
  attempts int not null default 0,
  -- where it stands; each kind has its own shape
  cursor jsonb not null default '{}',
  -- what it has done so far
  result jsonb not null default '{}',
  -- why it failed or was skipped
  error text,
  started_at bigint,
  finished_at bigint,
  unique (schedule_id, scheduled_for)
);

create unique index scheduled_run_live on outrider.scheduled_run (schedule_id) where state in ('queued', 'running');
create index scheduled_run_due on outrider.scheduled_run (workspace_id, due_at) where state in ('queued', 'running');

alter table outrider.scheduled_run enable row level security;
alter table outrider.scheduled_run force row level security;
create policy app_visible on outrider.scheduled_run to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.scheduled_run to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.scheduled_run to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.scheduled_run to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.scheduled_run to outrider_app;
grant select, insert, update, delete on outrider.scheduled_run to outrider_definer;
grant select, insert, update, delete on outrider.scheduled_run to outrider_executor;

-- A run of rescore_leads queues passes of ICPs.
grant select, insert, update on outrider.scoring_job to outrider_executor;
grant update (scores_stale) on outrider.icp to outrider_executor;
