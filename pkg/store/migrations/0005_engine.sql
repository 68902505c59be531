-- Runs (one lead in one workflow), their history, the send ledger, reviews, wakes.
set local search_path = outrider, app, public;

-- Narrow on purpose: millions wait. due_at null: waits for an event (reply, acceptance, review) or is ended.
create table outrider.run (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  lead_id uuid not null,
  person_id uuid,
  graph_version int not null,
  node_id text not null,                    -- node where the run stands
  state text not null check (state in ('queued', 'waiting', 'in_review', 'blocked', 'paused', 'replied', 'completed', 'stopped', 'suppressed', 'failed')),
  wait_reason text,
  due_at bigint,
  entered_at bigint not null,               -- when it reached node_id
  account_id text,
  arms jsonb,                               -- split node -> branch
  facts jsonb not null default '{}',        -- connected, replied, replyClass, lastTouchAt, waits of the node …
  version int not null default 1,
  send_id uuid,                             -- the attempt of node_id, when one exists
  started_at bigint not null,
  ended_at bigint,
  end_reason text
) with (fillfactor = 70);
create index run_due on outrider.run (workspace_id, due_at) where due_at is not null;
create unique index run_live on outrider.run (workflow_id, lead_id) where ended_at is null;
create index run_workflow on outrider.run (workspace_id, workflow_id, node_id, id);
create index run_lead on outrider.run (workspace_id, lead_id);
create index run_person on outrider.run (person_id) where ended_at is null;

create table outrider.run_event (
  workspace_id text not null,
  run_id uuid not null,
  seq bigint generated always as identity,
  at bigint not null,
  kind text not null,                       -- enums.eventKind of the vocabulary
  node_id text,
  actor text not null,
  text text not null default '',
  data jsonb not null default '{}',
  primary key (run_id, seq)
);

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
  action text not null,                     -- enums.budgetAction
  budgets text[] not null default '{}',     -- budgets that gave a unit (a noted request spends two)
  send_key text,                            -- key taken with it; returned only on a proven failure
  state text not null check (state in ('planned', 'claimed', 'dispatched', 'confirmed', 'failed', 'unknown')),
  epoch bigint not null,
  body text,
  target jsonb not null default '{}',       -- {profileUrl, publicId, providerId, chatId, invitationId}
  budget_date date,                         -- local date whose units were taken
  credit_hold_id uuid,
  claimed_at bigint not null,
  dispatched_at bigint,
  dispatched_real timestamptz,
  settled_at bigint,
  outcome text,
  error text,
  provider_ref text,
  maybe boolean not null default false,     -- harmless kinds whose outcome can't be known
  lookups int not null default 0,
  not_found int not null default 0,         -- agreeing "not found" look-ups after settleAfter
  lookup_after timestamptz,
  dead_letter_at bigint,
  dead_letter_state text check (dead_letter_state in ('open', 'resolved', 'discarded')),
  evidence jsonb not null default '[]'      -- what made the outcome ambiguous, and each look-up
);
create index send_open on outrider.send (workspace_id, state) where state in ('claimed', 'dispatched', 'unknown');
create index send_run on outrider.send (run_id);
create index send_workspace on outrider.send (workspace_id, claimed_at desc);
create index run_parked on outrider.run (workspace_id, workflow_id) where due_at is null and wait_reason = 'send_freeze' and ended_at is null;
create index send_account on outrider.send (account_id, claimed_at desc);
create index send_dead on outrider.send (dead_letter_at) where dead_letter_state = 'open';

create table outrider.review_item (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  lead_id uuid not null,
  account_id text,
  node_id text not null,                    -- the review node, or the send node when reviewMode put the gate
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
create index review_pending on outrider.review_item (workspace_id, expires_at, id) where state = 'pending';
create index review_list on outrider.review_item (workspace_id, state, expires_at, id);
create index review_run on outrider.review_item (run_id);

-- Sources: how far a workflow's source nodes have fed today (maxPerDay), by local date of the workspace.
create table outrider.source_feed (
  workspace_id text not null,
  workflow_id text not null,
  node_id text not null,
  feed_date date not null,
  fed int not null default 0,
  next_at bigint,
  primary key (workflow_id, node_id)
);

-- Work exists for a workspace at due_at: upserted in the transaction that makes the work; the operator polls it.
create table outrider.workspace_wake (
  workspace_id text primary key,
  due_at bigint not null,
  reason text not null default ''
) with (fillfactor = 50);
create index workspace_wake_due on outrider.workspace_wake (due_at);

create table outrider.credit_balance (
  workspace_id text primary key,
  balance bigint not null default 0,
  held bigint not null default 0 check (held >= 0),
  check (balance - held >= 0)
);
create table outrider.credit_entry (
  id uuid primary key,
  workspace_id text not null,
  kind text not null,
  amount bigint not null,
  balance_after bigint not null,
  held_after bigint not null,
  action text,
  tool text,
  run_id uuid,
  campaign_id text,
  hold_id uuid,
  key_prefix text,
  reason text not null default '',
  idempotency_key text not null,
  at bigint not null,
  unique (workspace_id, idempotency_key)
);
create table outrider.credit_hold (
  id uuid primary key,
  workspace_id text not null,
  amount bigint not null check (amount >= 0),
  state text not null check (state in ('held', 'settled', 'released', 'expired')),
  expires_at timestamptz not null,
  settled bigint not null default 0,
  check (settled <= amount)
);

-- Results of idempotent calls, seven days (real time), bound to workspace and tool.
create table outrider.idempotency (
  workspace_id text not null,
  tool text not null,
  idempotency_key text not null,
  input_hash text not null,
  result jsonb,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, tool, idempotency_key)
);

create table outrider.audit_event (
  seq bigint generated always as identity primary key,
  id uuid not null,
  at bigint not null,
  actor_kind text not null,
  actor_id text not null,
  key_prefix text,
  tool text not null,
  workspace_id text,
  record_type text not null default '',
  record_id text not null default '',
  change jsonb not null default '{}',
  request_id text not null,
  hash text not null,
  previous_hash text not null
);
create index audit_workspace on outrider.audit_event (workspace_id, seq desc);

-- Request limits where there is no Redis: fixed window of 60 s from the key's first call.
create unlogged table outrider.rate_window (
  key_id text not null,
  category text not null,
  started_at timestamptz not null,
  used int not null,
  primary key (key_id, category)
) with (fillfactor = 50);

-- Facts about this installation: schema version, restore epoch, whether its clock ever ran ahead (rehearsal).
create table outrider.installation (
  only_row boolean primary key default true check (only_row),
  rehearsal boolean not null default false,
  restore_epoch bigint not null default 0,
  system_identifier text
);
insert into outrider.installation default values;
