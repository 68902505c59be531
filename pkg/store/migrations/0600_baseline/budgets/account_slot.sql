-- The calendar of an account: moments at which it acted, and moments that it promised to runs that wait (architecture: what happens next, and
-- when). Planned by pkg/domain/account-plan.ts, written by app.promise_slots and by claims of sends; rows go after a day, promises also when
-- their run does not wait for them any more. All times are epoch ms, product time.
create table outrider.account_slot (
  account_id text not null references outrider.network_account(id) on delete cascade,
  -- class of its pace (app.is_heavy)
  heavy boolean not null,
  at bigint not null,
  -- nothing of the same class before this
  free_at bigint not null,
  workspace_id text not null references outrider.workspace(id) on delete cascade,
  run_id uuid not null,
  -- actions whose budgets are to give a unit each
  budgets text[] not null,
  -- false: a promise
  acted boolean not null default false,
  -- it can't be brought forward to before this
  earliest bigint not null default 0,
  -- whom the promise is for, where people of a company per day are limited; '': nobody counts
  company_key text not null default ''
);

-- The calendar in its order.
create index account_slot_calendar on outrider.account_slot (account_id, at);
-- Promises to people of a company (app.company_contacts).
create index account_slot_company on outrider.account_slot (workspace_id, company_key) where not acted and company_key <> '';
create unique index account_slot_promise on outrider.account_slot (run_id) where not acted;
-- Accounts with promises to a workspace (app.promised_accounts).
create index account_slot_workspace on outrider.account_slot (workspace_id, account_id) where not acted;

alter table outrider.account_slot enable row level security;
alter table outrider.account_slot force row level security;
create policy definer_all on outrider.account_slot to outrider_definer using (true) with check (true);
create policy owner_all on outrider.account_slot to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_slot to outrider_definer;
