-- Signal agents: what a workspace has watched, and what each agent decided about each signal.

-- A signal is known by what happened: a second source adds evidence to it (pkg/domain/signals/natural-key.ts).
alter table outrider.signal add column natural_key text;
-- Our own accounts caused it: nobody is found by it.
alter table outrider.signal add column self_caused boolean not null default false;
-- The agent whose scan brought the person; null: known before.
alter table outrider.signal add column found_by uuid;
-- Its end was told (signal.expired).
alter table outrider.signal add column end_told boolean not null default false;
create unique index signal_known on outrider.signal (coalesce(workspace_id, ''), natural_key)
  where natural_key is not null;
create index signal_ends on outrider.signal (expires_at) where natural_key is not null and not end_told;

create policy executor_keeps on outrider.signal for insert to outrider_executor
  with check (workspace_id = (select app.workspace()));
create policy executor_adds on outrider.signal for update to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
grant insert, update on outrider.signal to outrider_executor;

-- What a schedule of the kind signal_agent looks for; its name, times and campaign are the schedule's.
create table outrider.signal_agent (
  id uuid primary key references outrider.schedule(id) on delete cascade,
  workspace_id text not null references outrider.workspace(id),
  signal_types text[] not null,
  -- {titles, industries, seniorities, companySizes, keywords, locations}
  criteria jsonb not null default '{}',
  -- where those are enrolled whom it finds; null: whichever workflow listens to it
  workflow_id text,
  -- reads the network; null: any account of the workspace
  network_account_id text,
  min_score double precision,
  daily_lead_limit int not null default 25 check (daily_lead_limit between 1 and 1000),
  -- null: no limit of its own
  daily_credit_limit int check (daily_credit_limit >= 0),
  playbook text not null default '',
  playbook_version int not null default 1,
  handle_replies boolean not null default false,
  -- signals that were detected before are none of its business; null: all are (epoch ms, product time, as all times)
  since bigint,
  -- null: it is active, or never was
  paused_at bigint,
  -- signals of its pauses that nobody will look at
  skipped_while_paused int not null default 0,
  created_at bigint not null,
  updated_at bigint not null
);

alter table outrider.signal_agent enable row level security;
alter table outrider.signal_agent force row level security;
create policy app_visible on outrider.signal_agent to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_agent to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_agent to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_agent to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_agent to outrider_app;
grant select, insert, update, delete on outrider.signal_agent to outrider_definer;
grant select, update on outrider.signal_agent to outrider_executor;

-- The rules under which an agent decided, each set of them once.
create table outrider.signal_agent_rules (
  agent_id uuid not null references outrider.signal_agent(id) on delete cascade,
  version int not null,
  workspace_id text not null,
  rules jsonb not null,
  primary key (agent_id, version)
);

alter table outrider.signal_agent_rules enable row level security;
alter table outrider.signal_agent_rules force row level security;
create policy app_visible on outrider.signal_agent_rules to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_agent_rules to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_agent_rules to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_agent_rules to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_agent_rules to outrider_app;
grant select, insert, update, delete on outrider.signal_agent_rules to outrider_definer;
grant select, insert on outrider.signal_agent_rules to outrider_executor;

-- What an agent decided about a signal and a person, and by which facts: pkg/domain/signals/decide-signal.ts decides
-- the same by them again. A row that met a limit is decided anew by a later run.
create table outrider.signal_decision (
  agent_id uuid not null references outrider.signal_agent(id) on delete cascade,
  signal_id uuid not null references outrider.signal(id) on delete cascade,
  -- the lead; of a company of which nobody is known the company
  subject_id uuid not null,
  workspace_id text not null,
  lead_id uuid references outrider.lead(id),
  person_id uuid,
  -- the run of the agent, and that of the workflow
  scheduled_run_id uuid not null,
  run_id uuid,
  outcome text not null check (outcome in ('no_lead', 'self_caused', 'not_matched', 'expired', 'excluded', 'duplicate',
    'contacted', 'below_score', 'lead_limit', 'credit_limit', 'enqueued')),
  score real not null,
  reason text not null,
  rules_version int not null,
  facts jsonb not null,
  credits int not null default 0,
  decided_at bigint not null,
  primary key (agent_id, signal_id, subject_id)
);

-- An agent finds a person once.
create unique index signal_decision_once on outrider.signal_decision (agent_id, person_id) where outcome = 'enqueued';
create index signal_decision_page
  on outrider.signal_decision (agent_id, decided_at desc, signal_id desc, subject_id desc);
create index signal_decision_signal on outrider.signal_decision (signal_id);
create index signal_decision_run on outrider.signal_decision (run_id) where run_id is not null;
create index signal_decision_lead on outrider.signal_decision (lead_id);

alter table outrider.signal_decision enable row level security;
alter table outrider.signal_decision force row level security;
create policy app_visible on outrider.signal_decision to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_decision to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_decision to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_decision to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_decision to outrider_app;
grant select, insert, update, delete on outrider.signal_decision to outrider_definer;
grant select, insert, update on outrider.signal_decision to outrider_executor;

-- When the agents of a workspace last found a person: all of them together at most once in 90 days.
create table outrider.signal_person (
  workspace_id text not null,
  person_id uuid not null,
  agent_id uuid not null,
  found_at bigint not null,
  -- before that; what an enrolment that was refused falls back to
  found_before bigint not null default 0,
  primary key (workspace_id, person_id)
);

alter table outrider.signal_person enable row level security;
alter table outrider.signal_person force row level security;
create policy app_visible on outrider.signal_person to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_person to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_person to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_person to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_person to outrider_app;
grant select, insert, update, delete on outrider.signal_person to outrider_definer;
grant select, insert, update on outrider.signal_person to outrider_executor;

-- What an agent spent on a day of its workspace; taken with the enrolment.
create table outrider.signal_agent_day (
  agent_id uuid not null references outrider.signal_agent(id) on delete cascade,
  day date not null,
  workspace_id text not null,
  leads int not null default 0 check (leads >= 0),
  credits int not null default 0 check (credits >= 0),
  primary key (agent_id, day)
);

alter table outrider.signal_agent_day enable row level security;
alter table outrider.signal_agent_day force row level security;
create policy app_visible on outrider.signal_agent_day to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_agent_day to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_agent_day to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_agent_day to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_agent_day to outrider_app;
grant select, insert, update, delete on outrider.signal_agent_day to outrider_definer;
grant select, insert, update on outrider.signal_agent_day to outrider_executor;

-- What a profile showed when an agent last looked at it: a change of job is a difference from it.
create table outrider.signal_watch (
  workspace_id text not null,
  lead_id uuid not null references outrider.lead(id) on delete cascade,
  looked_at bigint not null,
  title text not null,
  company text not null,
  primary key (workspace_id, lead_id)
);

create index signal_watch_lead on outrider.signal_watch (lead_id);

alter table outrider.signal_watch enable row level security;
alter table outrider.signal_watch force row level security;
create policy app_visible on outrider.signal_watch to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_watch to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_watch to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_watch to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_watch to outrider_app;
grant select, insert, update, delete on outrider.signal_watch to outrider_definer;
grant select, insert, update on outrider.signal_watch to outrider_executor;
