-- Mails of an inbox whose text nobody could read, since its parser took too much memory or time twice. Account sync
-- writes them; the newest 100 of a mailbox stay. They say which mail to look at, and nothing of what it says.
create table outrider.unread_mail (
  account_id text not null references outrider.network_account(id),
  -- UIDVALIDITY and UID of the inbox
  validity text not null,
  uid bigint not null,
  -- when it came, by the server's clock, epoch ms; 0: the server does not say
  received_at bigint not null,
  -- what the parser ran out of, in our words
  cause text not null,
  -- its head could be read: who wrote it is left alone as if they had answered
  head_read boolean not null,
  -- product time, epoch ms
  at bigint not null,
  primary key (account_id, validity, uid)
);

alter table outrider.unread_mail enable row level security;
alter table outrider.unread_mail force row level security;
create policy app_linked on outrider.unread_mail for select to outrider_app
  using (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.unread_mail to outrider_definer using (true) with check (true);
create policy executor_account on outrider.unread_mail to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy owner_all on outrider.unread_mail to outrider_owner using (true) with check (true);
grant select on outrider.unread_mail to outrider_app;
grant select, insert, update, delete on outrider.unread_mail to outrider_definer;
grant select, insert, update, delete on outrider.unread_mail to outrider_executor;
