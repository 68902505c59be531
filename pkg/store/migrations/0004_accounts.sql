-- Connected network accounts: shared by workspaces through links; budgets, pacing and inbox belong to the account.
set local search_path = outrider, app, public;

create table outrider.network_account (
  id text primary key,
  provider text not null default 'sandbox' check (provider in ('sandbox', 'unipile')),
  external_id text not null,                -- the provider's account id
  display_name text not null default '',
  profile_url text not null default '',
  tier text not null default 'basic' check (tier in ('basic', 'premium', 'sales', 'recruiter')),
  status text not null default 'ok' check (status in ('connecting', 'ok', 'checkpoint', 'credentials_expired', 'restricted', 'disconnected')),
  status_since bigint not null,
  timezone text not null default 'UTC',
  business_hours jsonb,                     -- null: defaults
  ramp_enabled boolean not null default true,
  ramp_days int not null default 14,
  ramp_start_share real not null default 0.2,
  first_send_at bigint,
  health real not null default 1 check (health between 0 and 1),
  limits jsonb not null default '{}',       -- configured per action: {action: {day, week}}
  paused boolean not null default false,
  cooldown_until bigint,
  last_action_at bigint,
  webhook_secret_hash bytea,
  created_at bigint not null,
  unique (provider, external_id)
);

create table outrider.account_link (
  account_id text not null references outrider.network_account (id),
  workspace_id text not null references outrider.workspace (id),
  share real not null default 0 check (share between 0 and 1),
  linked_at bigint not null,
  primary key (account_id, workspace_id)
);
create index account_link_workspace on outrider.account_link (workspace_id);

-- One row per account and action. used[1] is head_date, used[7] six days before. next_free_at: pacing slot (product time).
-- reserved: units of used[1] whose send is not settled yet. The CHECK is the backstop, the claim functions never reach it.
create table outrider.account_budget (
  account_id text not null references outrider.network_account (id),
  action text not null,
  head_date date not null,
  used int[] not null default '{0,0,0,0,0,0,0}',
  reserved int not null default 0,
  limit_day int not null,                   -- effective limit of head_date, as last computed; -1: none
  limit_week int not null,
  by_workspace jsonb not null default '{}', -- workspace -> units of head_date
  primary key (account_id, action),
  check (array_length(used, 1) = 7),
  check (limit_day < 0 or used[1] <= limit_day)
) with (fillfactor = 50);

-- Pacing: next time a person-reaching (heavy) and a light action may go out.
create table outrider.account_pacing (
  account_id text primary key references outrider.network_account (id),
  heavy_free_at bigint not null default 0,
  light_free_at bigint not null default 0,
  session_ends_at bigint not null default 0,
  draws bigint not null default 0           -- gaps drawn so far: makes the seeded sequence repeatable after a restart
) with (fillfactor = 50);

-- Who follows a person now, at the policy's scope; proof of contact outlives everything. scope_key: campaign:<id>,
-- workspace:<id>, account:<id> or agency:<id>.
create table outrider.contact_claim (
  scope_key text not null,
  person_id uuid not null,
  workspace_id text not null,
  run_id uuid,
  taken_at bigint not null,
  released_at bigint,
  cool_until bigint,                        -- nobody enrols the person before (recontactAfterDays)
  primary key (scope_key, person_id)
);
create index contact_claim_person on outrider.contact_claim (person_id);
create index contact_claim_run on outrider.contact_claim (run_id) where released_at is null;

-- Send keys: unique for ever. messages 'm:<person>:<workflow>:<node>', requests 'r:<account>:<person>'.
create table outrider.send_key (
  key text primary key,
  person_id uuid not null,
  workspace_id text not null,
  send_id uuid not null,
  taken_at bigint not null
);
create index send_key_person on outrider.send_key (person_id);

-- Last contact of a person by a workspace (recontactAfterDays, minDaysBetweenTouches), whatever became of the run.
create table outrider.contact_log (
  person_id uuid not null,
  workspace_id text not null,
  campaign_id text not null,
  workflow_id text not null,
  account_id text not null,
  last_at bigint not null,
  touches int not null default 0,
  primary key (person_id, workflow_id)
);

create table outrider.send_freeze (
  id uuid primary key,
  scope text not null check (scope in ('platform', 'workspace', 'account')),
  target text not null default '',
  channel text not null default '' check (channel in ('', 'network', 'mail', 'content', 'webhook')),
  until bigint,
  reason text not null,
  frozen_by text not null,
  since bigint not null,
  unique (scope, target, channel)
);

-- One inbox per account.
create table outrider.conversation (
  id uuid primary key,
  account_id text not null references outrider.network_account (id),
  external_id text not null,
  person_id uuid,
  participant_name text not null default '',
  participant_headline text not null default '',
  participant_profile_url text not null default '',
  last_message_at bigint not null default 0,
  preview text not null default '',
  unread int not null default 0,
  reply_class text not null default 'unclassified',
  synced_at bigint not null default 0,
  unique (account_id, external_id)
);
create index conversation_account on outrider.conversation (account_id, last_message_at desc, id);
create index conversation_person on outrider.conversation (person_id);
create table outrider.message (
  id uuid primary key,
  conversation_id uuid not null references outrider.conversation (id),
  account_id text not null,
  external_id text not null,
  direction text not null check (direction in ('in', 'out')),
  subject text,
  body text not null,
  sent_at bigint not null,
  status text not null default 'sent',
  via text not null default 'elsewhere',
  run_id uuid,
  reply_class text,
  unique (account_id, external_id)
);
create index message_conversation on outrider.message (conversation_id, sent_at desc, id);

-- What account sync knows of the relation of an account to a person.
create table outrider.relation (
  account_id text not null references outrider.network_account (id),
  person_id uuid not null,
  provider_id text,
  state text not null check (state in ('none', 'pending', 'connected')),
  invitation_id text,
  requested_at bigint,
  connected_at bigint,
  primary key (account_id, person_id)
);

-- Account sync: next fetch per account; a webhook only moves due_at forward (a hint).
create table outrider.account_wake (
  account_id text primary key references outrider.network_account (id),
  due_at bigint not null,
  hinted boolean not null default false,
  last_synced_at bigint,
  sync_state jsonb not null default '{}',
  system_seen text
) with (fillfactor = 50);
create index account_wake_due on outrider.account_wake (due_at);
