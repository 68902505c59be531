-- Work that a tool begins and a server goes on with: leased, so that one process at a time works on a job, and kept in steps, so
-- that a crash loses one step at most.
set local search_path = outrider, app, public;

create table outrider.background_job (
  id uuid primary key,
  workspace_id text not null references outrider.workspace (id),
  kind text not null check (kind in ('connections_export', 'lead_scrape')),
  account_id text references outrider.network_account (id),
  hold_id uuid,                             -- credits held for it
  work jsonb not null default '{}',         -- where it stands; each kind has its own
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  not_before bigint not null default 0,     -- product time; a job that waits for a budget
  holder uuid,
  lease_until timestamptz,
  failures int not null default 0,
  error text,
  created_at bigint not null,
  finished_at bigint
);
create index background_job_open on outrider.background_job (created_at, id) where status in ('queued', 'running');
create index background_job_account on outrider.background_job (workspace_id, account_id, created_at desc);
create unique index background_job_export on outrider.background_job (workspace_id, account_id)
  where kind = 'connections_export' and status in ('queued', 'running');

alter table outrider.background_job enable row level security;
alter table outrider.background_job force row level security;
create policy owner_all on outrider.background_job to outrider_owner using (true) with check (true);
create policy definer_all on outrider.background_job to outrider_definer using (true) with check (true);
create policy app_visible on outrider.background_job to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
grant select, insert, update on outrider.background_job to outrider_app, outrider_definer;
