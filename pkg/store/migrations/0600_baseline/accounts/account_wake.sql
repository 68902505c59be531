-- When account sync looks at an account next, and how far it came; one row for each account that is or was to be synced.
create table outrider.account_wake (
  account_id text primary key references outrider.network_account(id),
  -- product time, epoch ms; a webhook moves it forward
  due_at bigint not null,
  -- due_at was moved forward since the round began, which then leaves it there
  hinted boolean not null default false,
  -- when the last round that succeeded began (product time, epoch ms)
  last_synced_at bigint,
  -- network: {chatsUntil, chatsReadAt, relationsReadAt, connections, connectionsCut, webhookBase}; mailbox: {inboxValidity, inboxUid,
  -- inboxReadAt}; both: {failingSince, failure} while rounds fail. Times are product time, epoch ms
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
