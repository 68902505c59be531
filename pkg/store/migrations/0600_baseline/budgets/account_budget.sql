-- One row per account and action. used[1] is head_date, used[7] six days before. next_free_at: pacing slot (product time).
-- reserved: units of used[1] whose send is not settled yet. The CHECK is the backstop, the claim functions never reach it.
create table outrider.account_budget (
  account_id text not null references outrider.network_account(id),
  action text not null,
  head_date date not null,
  used int[] not null default '{0,0,0,0,0,0,0}'::integer[] check (array_length(used, 1) = 7),
  -- effective limit of head_date, as last computed; -1: none
  limit_day int not null,
  limit_week int not null,
  -- workspace -> units of head_date
  by_workspace jsonb not null default '{}',
  -- When an action was last dispatched with its claim (epoch ms product time). It is written with the unit that it takes; the account
  -- itself, which others work on, is written when its first action is.
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
