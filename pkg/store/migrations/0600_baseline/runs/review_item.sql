-- A draft that waits, or waited, for a person's decision: made by the engine at a review node, or before a send where the campaign's reviewMode
-- puts the gate; decided by tools. Stays with its run; its texts go with the workflow's or the person's (purge, erasure).
create table outrider.review_item (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  lead_id uuid not null,
  -- account that is to send it; null: not chosen yet
  account_id text,
  -- the review node, or the send node where reviewMode put the gate
  node_id text not null,
  -- node that sends the text
  send_node_id text not null,
  -- of the send node: note, message, inmail, mail, comment
  channel text not null,
  subject text,
  body text not null,
  -- as it was drafted; `body` may have been edited
  original_body text not null,
  -- raised by each edit: a decision names the one it saw
  version int not null default 1,
  -- what the text builds on, for whoever decides
  facts jsonb not null default '[]',
  risk_flags text[] not null default '{}',
  -- enums.playbookSource of the catalog
  playbook_source text not null default 'none',
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'sent')),
  -- of a rejection: skip_step, recraft or stop_lead; 'redrafted' once another draft took its place
  on_reject text,
  -- epoch ms, product time, as all times here
  created_at bigint not null,
  -- undecided until then, it expires
  expires_at bigint not null,
  -- a person; 'engine' where its run ended or was answered
  decided_by text,
  decided_at bigint,
  -- of the decision
  reason text
);

create index review_list on outrider.review_item (workspace_id, state, expires_at, id);
-- Drafts that a workflow leaves behind.
create index review_open on outrider.review_item (workflow_id) where state in ('pending', 'approved');
-- The queue, those that expire first in front.
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
