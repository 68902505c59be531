-- Units that an account used of an action (enums.budgetAction), on seven local dates: used[1] is head_date's, used[7] six days before.
-- Opened, rolled and locked by app.open_budgets, taken by claims of sends and reads of profiles, counted up by what account sync saw done by
-- hand, given back on proven failures. The CHECK is the backstop: no claim reaches it. Of all accounts of the platform, for ever.
create table outrider.account_budget (
  account_id text not null references outrider.network_account(id),
  action text not null,
  -- in the account's timezone; never turned back
  head_date date not null,
  used int[] not null default '{0,0,0,0,0,0,0}'::integer[] check (array_length(used, 1) = 7),
  -- effective limit of head_date, as last computed; -1: none
  limit_day int not null,
  -- of the seven dates together; -1: none
  limit_week int not null,
  -- workspace id -> units of head_date
  by_workspace jsonb not null default '{}',
  -- when an action was last dispatched with its claim (epoch ms, product time): written with the unit that it takes, so that the account
  -- itself, which others work on, is not
  last_at bigint,
  primary key (account_id, action),
  constraint account_budget_check check ((limit_day < 0) or (used[1] <= limit_day))
) with (fillfactor = 50, autovacuum_analyze_threshold = 100000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);

alter table outrider.account_budget enable row level security;
alter table outrider.account_budget force row level security;
create policy app_linked on outrider.account_budget to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.account_budget to outrider_definer using (true) with check (true);
create policy executor_account on outrider.account_budget to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.account_budget for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.account_budget to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_budget to outrider_app;
grant select, insert, update, delete on outrider.account_budget to outrider_definer;
grant select on outrider.account_budget to outrider_executor;
