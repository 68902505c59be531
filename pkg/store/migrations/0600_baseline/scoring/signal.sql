-- Something that happened to a lead or a company (catalog: defaults.signals), written by whoever detects it. Counts in scores while it is in the
-- window of its campaign; stays until the lead's erasure.
create table outrider.signal (
  id uuid primary key,
  -- null: about the shared pool
  workspace_id text,
  type text not null check (type in ('job_change', 'new_post', 'funding_round', 'headcount_growth')),
  -- null: about everybody of the company
  lead_id uuid references outrider.lead(id),
  company_id uuid,
  title text not null default '',
  -- epoch ms, product time, as all times here
  occurred_at bigint not null,
  detected_at bigint not null,
  -- end of the platform's default window; a campaign's window may differ
  expires_at bigint not null,
  -- [{url, excerpt}]
  evidence jsonb not null default '[]',
  confidence real not null default 1 check (confidence >= 0 and confidence <= 1),
  constraint signal_check check ((lead_id is not null) or (company_id is not null))
);

create index signal_company on outrider.signal (company_id, occurred_at desc) where company_id is not null;
create index signal_lead on outrider.signal (lead_id, occurred_at desc) where lead_id is not null;
-- Lists, newest first: of all, of a type, of a workspace.
create index signal_page on outrider.signal (detected_at desc, id desc);
create index signal_type on outrider.signal (workspace_id, type, detected_at desc, id desc);
create index signal_workspace on outrider.signal (workspace_id, detected_at desc, id desc);

alter table outrider.signal enable row level security;
alter table outrider.signal force row level security;
create policy app_shared_pool on outrider.signal for select to outrider_app using (workspace_id is null);
create policy app_visible on outrider.signal to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy executor_shared_pool on outrider.signal for select to outrider_executor using (workspace_id is null);
create policy owner_all on outrider.signal to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal to outrider_app;
grant select, insert, update, delete on outrider.signal to outrider_definer;
grant select on outrider.signal to outrider_executor;
