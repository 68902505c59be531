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
  seq bigint generated always as identity,
  unique (workspace_id, idempotency_key),
  constraint credit_entry_after check ((held_after >= 0) and (balance_after >= held_after)),
  constraint credit_entry_kind check (kind in ('grant', 'hold', 'settle', 'release', 'refund', 'adjust', 'expire')),
  constraint credit_entry_sign check (
CASE kind
    WHEN 'grant' THEN (amount > 0)
    WHEN 'refund' THEN (amount > 0)
    WHEN 'hold' THEN (amount >= 0)
    WHEN 'adjust' THEN (amount <> 0)
    ELSE (amount <= 0)
END)
);

create index credit_entry_campaign on outrider.credit_entry (workspace_id, campaign_id, seq desc) where campaign_id is not null;
create index credit_entry_hold on outrider.credit_entry (hold_id) where hold_id is not null;
-- Holds and settlements are most of the ledger, and what is charged on the way of a send pays for no further index.
create index credit_entry_seldom on outrider.credit_entry (workspace_id, kind, seq desc) where kind in ('grant', 'release', 'refund', 'adjust', 'expire');
create unique index credit_entry_seq on outrider.credit_entry (workspace_id, seq desc);

alter table outrider.credit_entry enable row level security;
alter table outrider.credit_entry force row level security;
create policy app_visible on outrider.credit_entry to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.credit_entry to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.credit_entry to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.credit_entry to outrider_owner using (true) with check (true);
grant select on outrider.credit_entry to outrider_app;
grant select, insert, update, delete on outrider.credit_entry to outrider_definer;
