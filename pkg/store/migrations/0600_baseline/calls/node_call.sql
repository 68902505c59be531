-- The ledger of calls: what nodes ask of systems outside that is no send to a person (a text, an enrichment, free slots, a push into a CRM, a
-- webhook). state: claimed -> dispatched -> settled | unknown; unknown -> settled, or claimed again when it is proven that nothing was done.
-- Written by app.claim_calls, app.dispatch_calls, app.settle_calls and app.recover_calls; rows stay as proof that a push was made.
create table outrider.node_call (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  node_id text not null,
  node_type text not null,
  lead_id uuid not null,
  -- of the catalog (integration + lead + object …), else run and node; null after a proven failure: then it may be made anew
  once_key text,
  -- asking again does no harm: a question, or the receiver knows the key
  repeatable boolean not null,
  -- what leaves the product: crm, outreach, webhook; null: only a question
  outward text,
  state text not null check (state in ('claimed', 'dispatched', 'settled', 'unknown')),
  -- of the executor's claim that works on it; an older one is recovered
  epoch bigint not null,
  -- how often it was claimed
  tries int not null default 1,
  -- billable action of the catalog
  action text,
  credit_hold_id uuid,
  -- charged
  credits int not null default 0,
  -- the node's outcome, or cancelled
  outcome text,
  -- what the run takes with it; emptied when the person is erased
  result jsonb not null default '{}',
  -- id at the other side
  ref text,
  error text,
  -- of webhooks: rising per workspace
  sequence bigint,
  -- agreeing look-ups after an unknown outcome
  not_found int not null default 0,
  -- epoch ms, product time, as all *_at
  claimed_at bigint not null,
  dispatched_at bigint,
  -- the same by the clock of the database
  dispatched_real timestamptz,
  settled_at bigint,
  -- when a person was told that nobody learnt what it did
  dead_letter_at bigint,
  dead_letter_state text check (dead_letter_state in ('open', 'resolved', 'discarded')),
  -- tries that ended with their executor: they say nothing of the service that is asked
  ended int not null default 0,
  -- waits for its next try until then; null: it does not
  retry_at bigint
);

create index node_call_dead on outrider.node_call (dead_letter_at desc, id desc) where dead_letter_state = 'open';
-- Results of a person who is erased.
create index node_call_lead on outrider.node_call (workspace_id, lead_id);
create unique index node_call_once on outrider.node_call (workspace_id, once_key) where once_key is not null;
-- What a takeover finds open.
create index node_call_open on outrider.node_call (workspace_id, state) where state <> 'settled';
create index node_call_run on outrider.node_call (run_id);

alter table outrider.node_call enable row level security;
alter table outrider.node_call force row level security;
create policy app_visible on outrider.node_call to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.node_call to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.node_call for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.node_call to outrider_owner using (true) with check (true);
grant select on outrider.node_call to outrider_app;
grant select, insert, update, delete on outrider.node_call to outrider_definer;
grant select on outrider.node_call to outrider_executor;
