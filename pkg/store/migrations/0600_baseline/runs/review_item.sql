create table outrider.review_item (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  lead_id uuid not null,
  account_id text,
  -- the review node, or the send node when reviewMode put the gate
  node_id text not null,
  send_node_id text not null,
  channel text not null,
  subject text,
  body text not null,
  original_body text not null,
  version int not null default 1,
  facts jsonb not null default '[]',
  risk_flags text[] not null default '{}',
  playbook_source text not null default 'none',
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'sent')),
  on_reject text,
  created_at bigint not null,
  expires_at bigint not null,
  decided_by text,
  decided_at bigint,
  reason text
);

create index review_list on outrider.review_item (workspace_id, state, expires_at, id);
create index review_open on outrider.review_item (workflow_id) where state in ('pending', 'approved');
create index review_pending on outrider.review_item (workspace_id, expires_at, id) where state = 'pending';
create index review_run on outrider.review_item (run_id);

alter table outrider.review_item enable row level security;
alter table outrider.review_item force row level security;
create policy app_visible on outrider.review_item to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.review_item to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.review_item to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.review_item to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.review_item to outrider_app;
grant select, insert, update, delete on outrider.review_item to outrider_definer;
grant select, insert, update on outrider.review_item to outrider_executor;

create trigger review_decided after update on outrider.review_item referencing old table as old_rows new table as new_rows for each statement execute function app.on_review_decided();
