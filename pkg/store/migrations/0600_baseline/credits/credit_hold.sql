-- Credits that are kept for work under way. Only the functions of this domain write it; ended holds stay, for keys that are used again.
-- States: catalog stateMachines.creditHold.
create table outrider.credit_hold (
  id uuid primary key,
  workspace_id text not null,
  amount bigint not null check (amount >= 0),
  state text not null check (state in ('held', 'settled', 'released', 'expired')),
  -- real time; a live job puts it off (app.extend_hold)
  expires_at timestamptz not null,
  -- what was charged; 0 unless settled
  settled bigint not null default 0,
  -- billable action of the catalog
  action text not null default '',
  -- tool that asked; null: a workflow
  tool text,
  -- null: not for a run
  run_id uuid,
  campaign_id text,
  -- beginning of the API key that asked; null: none
  key_prefix text,
  -- of the caller; '#<id>' is added when its time is over and it may be used anew
  idempotency_key text not null default (gen_random_uuid())::text,
  -- of what the charge is for: the same key with another hash is refused
  input_hash text not null default '',
  -- of settled; nothing writes it
  refunded bigint not null default 0,
  -- epoch ms UTC, product time
  created_at bigint not null default 0,
  -- real time, by which keys are forgotten
  held_at timestamptz not null default clock_timestamp(),
  constraint credit_hold_check check (settled <= amount),
  constraint credit_hold_refund check ((refunded >= 0) and (refunded <= settled)),
  constraint credit_hold_settled check ((settled >= 0) and ((state = 'settled') or (settled = 0)))
);

-- Holds of a campaign.
create index credit_hold_campaign on outrider.credit_hold (campaign_id) where campaign_id is not null;
-- Who expires next.
create index credit_hold_expiry on outrider.credit_hold (expires_at) where state = 'held';
-- A key has one hold that lives or was settled.
create unique index credit_hold_key on outrider.credit_hold (workspace_id, idempotency_key) where state in ('held', 'settled');
-- Whether a key was seen, also by a hold that was given back.
create index credit_hold_keys on outrider.credit_hold (workspace_id, idempotency_key);

alter table outrider.credit_hold enable row level security;
alter table outrider.credit_hold force row level security;
create policy app_visible on outrider.credit_hold to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.credit_hold to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.credit_hold to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.credit_hold to outrider_owner using (true) with check (true);
grant select on outrider.credit_hold to outrider_app;
grant select, insert, update, delete on outrider.credit_hold to outrider_definer;
