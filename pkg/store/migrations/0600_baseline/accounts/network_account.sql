-- An account that acts for workspaces: of the professional network, or a mailbox (kind `mail`). Tools and `outrider mailbox connect` make
-- it, settings tools, ledger and account sync change it. Times are product time, epoch ms.
create table outrider.network_account (
  id text primary key,
  provider text not null default 'sandbox' check (provider in ('sandbox', 'unipile', 'smtp')),
  -- the provider's account id
  external_id text not null,
  display_name text not null default '',
  profile_url text not null default '',
  -- decides the default budgets (catalog: defaults.budgets)
  tier text not null default 'basic' check (tier in ('basic', 'premium', 'sales', 'recruiter')),
  -- catalog: stateMachines.networkAccount; anything but ok blocks actions
  status text not null default 'ok' check (status in ('connecting', 'ok', 'checkpoint', 'credentials_expired', 'restricted', 'disconnected')),
  status_since bigint not null,
  timezone text not null default 'UTC',
  -- {days: [1 = Monday], startHour, endHour, timezoneMode}; null: the default
  business_hours jsonb,
  -- limits grow from ramp_start_share of them to all within ramp_days of the first action (catalog: defaults.rampUp)
  ramp_enabled boolean not null default true,
  ramp_days int not null default 14,
  ramp_start_share real not null default 0.2,
  -- from when on ramp-up counts; null: it has not acted yet
  first_send_at bigint,
  -- its worst factor, by which limits are multiplied (catalog: HealthFactor); account sync writes it once a round
  health real not null default 1 check (health >= 0 and health <= 1),
  -- configured per action: {action: {day, week}}
  limits jsonb not null default '{}',
  -- by a person, or app.judge_mailbox
  paused boolean not null default false,
  -- the provider signalled a limit: it rests until then; null: never did
  cooldown_until bigint,
  -- of its first action and those that reach a person; all: app.last_action_at
  last_action_at bigint,
  -- SHA-256 of the secret that its provider's webhooks call with; null: none is registered
  webhook_secret_hash bytea,
  created_at bigint not null,
  kind text not null default 'network' check (kind in ('network', 'mail')),
  -- null: the platform's pace. {minGapSeconds, maxGapSeconds, sessionMinutes, weekendFactor}, each field optional.
  pacing jsonb,
  unique (provider, external_id)
) with (fillfactor = 70, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

alter table outrider.network_account enable row level security;
alter table outrider.network_account force row level security;
create policy app_linked on outrider.network_account to outrider_app
  using (id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or id in (select app.linked_accounts()));
create policy definer_all on outrider.network_account to outrider_definer using (true) with check (true);
create policy executor_account_update on outrider.network_account for update to outrider_executor
  using (id = (select app.account()))
  with check (id = (select app.account()));
create policy executor_linked on outrider.network_account for select to outrider_executor using (id in (select app.linked_accounts()));
create policy owner_all on outrider.network_account to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.network_account to outrider_app;
grant select, insert, update, delete on outrider.network_account to outrider_definer;
grant select, update on outrider.network_account to outrider_executor;

create trigger account_made after insert on outrider.network_account referencing new table as new_rows for each statement execute function app.on_account_made();
create trigger on_account_change before update of status, cooldown_until on outrider.network_account for each row execute function app.on_account_change();
create trigger wake_on_release after update on outrider.network_account for each row
  when (new.status = 'ok' and not new.paused and (old.status <> 'ok' or old.paused)) execute function app.wake_on_release();
