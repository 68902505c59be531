-- What came back about mails that were sent: bounces and complaints, each once. Account sync writes them (app.record_mail_report) for the
-- judgement of the mailbox and the third soft bounce of an address; kept for good.
create table outrider.mail_report (
  account_id text not null references outrider.network_account(id),
  -- Message-ID of the report
  external_id text not null,
  kind text not null check (kind in ('hard_bounce', 'soft_bounce', 'complaint')),
  -- our mail; null: the report names none
  send_id uuid,
  -- lower case; empty: unknown, or of somebody who was erased
  address text not null,
  -- the server's words, 500 characters at most; empty for somebody who was erased
  reason text not null default '',
  -- product time, epoch ms
  at bigint not null,
  primary key (account_id, external_id)
);

-- Soft bounces of an address.
create index mail_report_address on outrider.mail_report (address, at);

alter table outrider.mail_report enable row level security;
alter table outrider.mail_report force row level security;
create policy app_linked on outrider.mail_report to outrider_app
  using (account_id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or account_id in (select app.linked_accounts()));
create policy definer_all on outrider.mail_report to outrider_definer using (true) with check (true);
create policy executor_linked on outrider.mail_report for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.mail_report to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.mail_report to outrider_app;
grant select, insert, update, delete on outrider.mail_report to outrider_definer;
grant select on outrider.mail_report to outrider_executor;
