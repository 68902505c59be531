-- Work that goes on after its tool has answered (exports of connections, reading of profiles), step by step under a lease, so that any
-- server finishes what another left. Tools queue, servers work; kept for good, an open one at most once for each account's export.
create table outrider.background_job (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  kind text not null check (kind in ('connections_export', 'lead_scrape')),
  account_id text references outrider.network_account(id),
  -- credits held for it until they are settled
  hold_id uuid,
  -- where it stands; each kind has its own shape (pkg/tools/jobs)
  work jsonb not null default '{}',
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  -- product time, epoch ms; a job that waits for a budget
  not_before bigint not null default 0,
  -- process that works on it, until lease_until (real time)
  holder uuid,
  lease_until timestamptz,
  -- failed steps in a row
  failures int not null default 0,
  -- why it failed; null: it did not
  error text,
  -- product time, epoch ms, as finished_at
  created_at bigint not null,
  finished_at bigint
);

-- The last jobs of an account.
create index background_job_account on outrider.background_job (workspace_id, account_id, created_at desc);
create unique index background_job_export on outrider.background_job (workspace_id, account_id)
  where kind = 'connections_export' and status in ('queued', 'running');
-- What is to be worked on, in order.
create index background_job_open on outrider.background_job (created_at, id) where status in ('queued', 'running');

alter table outrider.background_job enable row level security;
alter table outrider.background_job force row level security;
create policy app_visible on outrider.background_job to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.background_job to outrider_definer using (true) with check (true);
create policy owner_all on outrider.background_job to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.background_job to outrider_app;
grant select, insert, update on outrider.background_job to outrider_definer;
