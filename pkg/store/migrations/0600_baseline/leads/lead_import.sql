-- An import of leads, as svc_get_import_progress tells it: of a file, whose row is written when it is over, or of an account's connections, which
-- goes on in the background. Stays for good; a purged workspace's without errors and note.
create table outrider.lead_import (
  id uuid primary key,
  workspace_id text not null,
  -- csv or connections
  kind text not null default 'csv',
  -- API key that began it
  key_id text,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  -- rows, and what became of them
  total int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  skipped int not null default 0,
  -- of them who must not be contacted
  suppressed int not null default 0,
  failed int not null default 0,
  -- [{row, field|null, message}] of what was skipped or failed, 100 at most; no message quotes a cell
  errors jsonb not null default '[]',
  -- what the caller said of the source
  source_note text,
  -- epoch ms UTC, product time
  started_at bigint not null,
  finished_at bigint
);

create index lead_import_workspace on outrider.lead_import (workspace_id, started_at desc, id);

alter table outrider.lead_import enable row level security;
alter table outrider.lead_import force row level security;
create policy app_visible on outrider.lead_import to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_import to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead_import to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.lead_import to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_import to outrider_app;
grant select, insert, update, delete on outrider.lead_import to outrider_definer;
