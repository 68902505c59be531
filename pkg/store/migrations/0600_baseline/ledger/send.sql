-- The send ledger. state: planned -> claimed -> dispatched -> confirmed | failed | unknown; unknown -> confirmed | failed.
create table outrider.send (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  node_id text not null,
  lead_id uuid not null,
  person_id uuid not null,
  account_id text not null,
  -- enums.budgetAction
  action text not null,
  -- budgets that gave a unit (a noted request spends two)
  budgets text[] not null default '{}',
  -- key taken with it; returned only on a proven failure
  send_key text,
  state text not null check (state in ('planned', 'claimed', 'dispatched', 'confirmed', 'failed', 'unknown')),
  epoch bigint not null,
  body text,
  -- {profileUrl, publicId, providerId, chatId, invitationId}
  target jsonb not null default '{}',
  -- local date whose units were taken
  budget_date date,
  credit_hold_id uuid,
  claimed_at bigint not null,
  dispatched_at bigint,
  dispatched_real timestamptz,
  settled_at bigint,
  outcome text,
  error text,
  provider_ref text,
  -- harmless kinds whose outcome can't be known
  maybe boolean not null default false,
  lookups int not null default 0,
  -- agreeing "not found" look-ups after settleAfter
  not_found int not null default 0,
  lookup_after timestamptz,
  dead_letter_at bigint,
  dead_letter_state text check (dead_letter_state in ('open', 'resolved', 'discarded')),
  -- what made the outcome ambiguous, and each look-up
  evidence jsonb not null default '[]'
) with (autovacuum_vacuum_scale_factor = 0.05, fillfactor = 50, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);
alter table outrider.send alter column budgets set statistics 0;
alter table outrider.send alter column body set statistics 0;
alter table outrider.send alter column target set statistics 0;
alter table outrider.send alter column error set statistics 0;
alter table outrider.send alter column evidence set statistics 0;

create index send_account on outrider.send (account_id, claimed_at desc);
create index send_dead on outrider.send (dead_letter_at) where dead_letter_state = 'open';
create index send_run on outrider.send (run_id);
-- Which nodes of a workflow sent already (identity of nodes over edits).
create index send_workflow on outrider.send (workflow_id, node_id);
create index send_workspace on outrider.send (workspace_id, claimed_at desc);

alter table outrider.send enable row level security;
alter table outrider.send force row level security;
create policy app_visible on outrider.send to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.send to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.send to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.send to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.send to outrider_app;
grant select, insert, update, delete on outrider.send to outrider_definer;
grant select on outrider.send to outrider_executor;
grant update (lookups, not_found, lookup_after, dead_letter_at, dead_letter_state, evidence) on outrider.send to outrider_executor;

create trigger open_send_deleted after delete on outrider.send for each row when (old.settled_at is null) execute function app.keep_open_send();
create trigger open_sends_changed after update on outrider.send referencing old table as old_rows new table as new_rows
  for each statement execute function app.keep_changed_sends();
create trigger open_sends_made after insert on outrider.send referencing new table as new_rows for each statement execute function app.keep_open_sends();
