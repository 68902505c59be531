-- What the last comparison of an account with its provider said, since when it may act; written by executors (app.report_account) and
-- `outrider reconcile`, one row for each account for good.
create table outrider.account_guard (
  account_id text primary key references outrider.network_account(id),
  -- start of the server for which nothing was lacking; null: something was, or it was not compared
  checked_start timestamptz,
  -- sends that the provider shows and the ledger lacks, at the last look
  lacking int not null default 0,
  -- one of them carries a text of ours
  proof boolean not null default false,
  -- for people; empty when nothing is lacking
  detail text not null default ''
) with (fillfactor = 50);

alter table outrider.account_guard enable row level security;
alter table outrider.account_guard force row level security;
create policy app_platform on outrider.account_guard to outrider_app using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.account_guard to outrider_definer using (true) with check (true);
create policy owner_all on outrider.account_guard to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_guard to outrider_app;
grant select, insert, update, delete on outrider.account_guard to outrider_definer;
