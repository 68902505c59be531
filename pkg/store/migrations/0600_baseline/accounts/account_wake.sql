-- Account sync: next fetch per account; a webhook only moves due_at forward (a hint).
create table outrider.account_wake (
  account_id text primary key references outrider.network_account(id),
  due_at bigint not null,
  hinted boolean not null default false,
  last_synced_at bigint,
  sync_state jsonb not null default '{}',
  system_seen text
) with (fillfactor = 50);

create index account_wake_due on outrider.account_wake (due_at);

alter table outrider.account_wake enable row level security;
alter table outrider.account_wake force row level security;
create policy app_linked on outrider.account_wake to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.account_wake to outrider_definer using (true) with check (true);
create policy executor_account on outrider.account_wake to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.account_wake for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.account_wake to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_wake to outrider_app;
grant select, insert, update, delete on outrider.account_wake to outrider_definer;
grant select, insert, update on outrider.account_wake to outrider_executor;

create trigger wake_sooner after insert or update of due_at on outrider.account_wake for each row execute function app.on_account_wake_sooner();
