-- When the next action of a class may go out at the earliest (epoch ms, product time): heavy ones reach a person (app.is_heavy), light ones do
-- not. The row is made with the account, and its lock is that of the account's budgets and calendar: taken by account id, before budgets.
create table outrider.account_pacing (
  account_id text primary key references outrider.network_account(id),
  heavy_free_at bigint not null default 0,
  light_free_at bigint not null default 0
) with (fillfactor = 50, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

alter table outrider.account_pacing enable row level security;
alter table outrider.account_pacing force row level security;
create policy app_linked on outrider.account_pacing to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.account_pacing to outrider_definer using (true) with check (true);
create policy executor_account on outrider.account_pacing to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.account_pacing for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.account_pacing to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_pacing to outrider_app;
grant select, insert, update, delete on outrider.account_pacing to outrider_definer;
