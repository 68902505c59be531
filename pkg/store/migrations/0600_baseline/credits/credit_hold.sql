create table outrider.credit_hold (
  id uuid primary key,
  workspace_id text not null,
  amount bigint not null check (amount >= 0),
  state text not null check (state in ('held', 'settled', 'released', 'expired')),
  expires_at timestamptz not null,
  settled bigint not null default 0,
  action text not null default '',
  tool text,
  run_id uuid,
  campaign_id text,
  key_prefix text,
  idempotency_key text not null default (gen_random_uuid())::text,
  input_hash text not null default '',
  refunded bigint not null default 0,
  created_at bigint not null default 0,
  held_at timestamptz not null default clock_timestamp(),
  constraint credit_hold_check check (settled <= amount),
  constraint credit_hold_refund check ((refunded >= 0) and (refunded <= settled)),
  constraint credit_hold_settled check ((settled >= 0) and ((state = 'settled') or (settled = 0)))
);

create index credit_hold_campaign on outrider.credit_hold (campaign_id) where campaign_id is not null;
create index credit_hold_expiry on outrider.credit_hold (expires_at) where state = 'held';
create unique index credit_hold_key on outrider.credit_hold (workspace_id, idempotency_key) where state in ('held', 'settled');
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
