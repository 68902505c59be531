-- The ledger of credits: one entry per movement, with the balance it left. Only app.post_credits writes it; nothing changes or goes. Source:
-- catalog record CreditTransaction. After each entry, in the order of seq: balance = sum of grant, adjust, refund, settle; held = sum of hold,
-- release, expire, settle = sum of live holds.
create table outrider.credit_entry (
  id uuid primary key,
  workspace_id text not null,
  kind text not null,
  -- signed change of the balance (grant, adjust, refund), of what is held (hold, release, expire) or of both (settle)
  amount bigint not null,
  balance_after bigint not null,
  held_after bigint not null,
  -- billable action of the catalog; null: a movement by the platform or the month
  action text,
  -- tool that asked; null: a workflow
  tool text,
  run_id uuid,
  campaign_id text,
  -- null: no hold
  hold_id uuid,
  -- beginning of the API key that asked; null: none
  key_prefix text,
  -- for people
  reason text not null default '',
  -- 'hold:<id>', 'settle:<id>', 'rest:<id>', 'release:<id>', 'expire:<id>', 'refund:<key>', 'monthly:YYYY-MM', or of the platform's tool
  idempotency_key text not null,
  -- epoch ms UTC, product time
  at bigint not null,
  -- order of the ledger
  seq bigint generated always as identity,
  unique (workspace_id, idempotency_key),
  constraint credit_entry_after check ((held_after >= 0) and (balance_after >= held_after)),
  constraint credit_entry_kind check (kind in ('grant', 'hold', 'settle', 'release', 'refund', 'adjust', 'expire')),
  constraint credit_entry_sign check (
    case kind
      when 'grant' then (amount > 0)
      when 'refund' then (amount > 0)
      when 'hold' then (amount >= 0)
      when 'adjust' then (amount <> 0)
      else (amount <= 0)
    end)
);

-- Entries of a campaign, newest first.
create index credit_entry_campaign on outrider.credit_entry (workspace_id, campaign_id, seq desc) where campaign_id is not null;
-- What became of a hold.
create index credit_entry_hold on outrider.credit_entry (hold_id) where hold_id is not null;
-- Holds and settlements are most of the ledger, and what is charged on the way of a send pays for no further index.
create index credit_entry_seldom on outrider.credit_entry (workspace_id, kind, seq desc) where kind in ('grant', 'release', 'refund', 'adjust', 'expire');
-- Entries of a workspace, newest first.
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
