-- Sends without a run: a person, or a schedule, asks for one action to a person, and the executor of the workspace
-- performs it through the same ledger as what workflows send.
create table outrider.action (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  -- null: of none
  campaign_id text,
  lead_id uuid not null,
  person_id uuid not null,
  account_id text not null,
  -- enums.budgetAction
  action text not null,
  -- actions whose budgets give a unit each
  budgets text[] not null,
  -- its key in send_key, taken when it is claimed: what was done once is not done again
  once_key text not null,
  -- what is written; null: an action without a text
  body text,
  -- what the action needs beyond the person (reaction, subject …)
  target jsonb not null default '{}',
  -- open: it waits, or its send is under way; done: confirmed, or nobody can know of what is harmless
  state text not null default 'open' check (state in ('open', 'done', 'failed', 'stopped')),
  -- when it asks the ledger next (epoch ms, product time, as all times here); null: its send is under way, or it is
  -- over
  due_at bigint,
  -- enums.waitReason; null: it waits for nothing but its turn
  wait_reason text,
  -- it does not begin after that; null: it waits as long as it takes
  expires_at bigint,
  -- tries that failed of themselves, since when, and tries whose executor ended first
  tries int not null default 0,
  failing_since bigint,
  endings int not null default 0,
  -- the send of its last try
  send_id uuid,
  -- of the node type of its action
  outcome text,
  -- why it failed, or was stopped
  error text,
  -- address or key of who asked; engine: a schedule
  made_by text not null,
  scheduled_run_id uuid,
  created_at bigint not null,
  ended_at bigint,
  check ((state = 'open') = (ended_at is null)),
  check (due_at is null or ended_at is null)
);

create index action_due on outrider.action (workspace_id, due_at) where due_at is not null;
-- Open ones with a key: a repeated plan finds the first.
create index action_open on outrider.action (once_key) where ended_at is null;
create index action_lead on outrider.action (lead_id);
create index action_person on outrider.action (person_id);
create index action_scheduled on outrider.action (scheduled_run_id) where scheduled_run_id is not null;

alter table outrider.action enable row level security;
alter table outrider.action force row level security;
create policy app_visible on outrider.action for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.action to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.action to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.action to outrider_owner using (true) with check (true);
grant select on outrider.action to outrider_app;
grant select, insert, update, delete on outrider.action to outrider_definer;
grant select on outrider.action to outrider_executor;
grant update (due_at, wait_reason, state, ended_at, outcome, error) on outrider.action to outrider_executor;

-- Such a send has an action in place of its run. Executors of the version before never see one: app.sends_by_id, which
-- they ask, leaves it out.
alter table outrider.send alter column run_id drop not null;
alter table outrider.send alter column workflow_id drop not null;
alter table outrider.send alter column campaign_id drop not null;
alter table outrider.send alter column node_id drop not null;
alter table outrider.send add column action_id uuid;
alter table outrider.send add constraint send_of_one check (num_nonnulls(run_id, action_id) = 1) not valid;

create index send_action on outrider.send (action_id) where action_id is not null;


-- It takes kinds now (pkg/store/schedules/next_schedule.sql).
drop function if exists app.next_schedule(text);
