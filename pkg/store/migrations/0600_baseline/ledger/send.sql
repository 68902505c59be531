-- The send ledger: a row for each attempt to do something to a person through an account. state: planned -> claimed -> dispatched -> confirmed |
-- failed | unknown; unknown -> confirmed | failed (catalog: sendAttempt). Made by app.take_wishes, moved by app.dispatch_sends,
-- app.confirm_sends and app.settle_sends; evidence of contact, so rows stay, and lose their texts with the retention of their workspace.
create table outrider.send (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  -- node of the workflow's graph
  node_id text not null,
  lead_id uuid not null,
  person_id uuid not null,
  account_id text not null,
  -- enums.budgetAction
  action text not null,
  -- actions whose budgets gave a unit each (a noted request takes two)
  budgets text[] not null default '{}',
  -- key in send_key that was taken with it; given back only on a proven failure
  send_key text,
  state text not null check (state in ('planned', 'claimed', 'dispatched', 'confirmed', 'failed', 'unknown')),
  -- of the executor's claim that made it; an older one is recovered
  epoch bigint not null,
  -- what is written; null: an action without a text
  body text,
  -- {profileUrl, publicId, providerId, chatId, invitationId}, each optional; of mails {to, subject …}
  target jsonb not null default '{}',
  -- local date of the account whose units were taken
  budget_date date,
  credit_hold_id uuid,
  -- epoch ms, product time, as all *_at
  claimed_at bigint not null,
  -- null: nothing can have left
  dispatched_at bigint,
  -- the same by the clock of the database
  dispatched_real timestamptz,
  -- null: open
  settled_at bigint,
  -- the node's outcome that the run takes, or cancelled; null after a failure: the step is tried again
  outcome text,
  error text,
  -- id of the message, request or mail at the provider
  provider_ref text,
  -- a harmless action whose outcome can't be known: the run went on, nobody looks it up
  maybe boolean not null default false,
  -- look-ups that failed in a row
  lookups int not null default 0,
  -- agreeing "not found" look-ups after settleAfter
  not_found int not null default 0,
  -- null: none is planned
  lookup_after timestamptz,
  -- when a person was told; stays when it is resolved
  dead_letter_at bigint,
  dead_letter_state text check (dead_letter_state in ('open', 'resolved', 'discarded')),
  -- what made the outcome ambiguous, each look-up and decision: [{at, what, text, by}]
  evidence jsonb not null default '[]'
) with (
  autovacuum_vacuum_scale_factor = 0.05, fillfactor = 50, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000
);
alter table outrider.send alter column budgets set statistics 0;
alter table outrider.send alter column body set statistics 0;
alter table outrider.send alter column target set statistics 0;
alter table outrider.send alter column error set statistics 0;
alter table outrider.send alter column evidence set statistics 0;

-- What left through an account since when: budgets in use, comparison after a restore.
create index send_account on outrider.send (account_id, claimed_at desc);
-- Open dead letters, of all workspaces.
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
