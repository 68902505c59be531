-- The warm-up of a mailbox: a ramp of real mail (limits and ramp of its network_account follow it). svc_control_warmup
-- writes it; account sync holds it where mails come back or the domain proves nothing.
create table outrider.mailbox_warmup (
  account_id text primary key references outrider.network_account(id),
  state text not null check (state in ('running', 'paused', 'off')),
  -- epoch ms, product time
  started_at bigint not null,
  -- mails a day at its end, and how many more each day
  daily_target int not null check (daily_target between 1 and 50),
  daily_increment int not null check (daily_increment between 0 and 5),
  -- wish for answers among warm-up mails that mailboxes exchange; real mail has the answers that people give
  reply_rate real not null check (reply_rate between 0 and 1),
  weekdays_only boolean not null,
  -- mails on the first day
  first_level int not null check (first_level >= 1),
  -- the day of the ramp on which it was paused (0: the first), and why; null: it runs, or is off
  held_day int,
  held_why text not null default '',
  -- mails a day that were configured before; null: the default
  limit_before int
);

alter table outrider.mailbox_warmup enable row level security;
alter table outrider.mailbox_warmup force row level security;
create policy app_linked on outrider.mailbox_warmup to outrider_app
  using (account_id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or account_id in (select app.linked_accounts()));
create policy definer_all on outrider.mailbox_warmup to outrider_definer using (true) with check (true);
create policy executor_account on outrider.mailbox_warmup to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy owner_all on outrider.mailbox_warmup to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.mailbox_warmup to outrider_app;
grant select, insert, update, delete on outrider.mailbox_warmup to outrider_definer;
grant select, update on outrider.mailbox_warmup to outrider_executor;
