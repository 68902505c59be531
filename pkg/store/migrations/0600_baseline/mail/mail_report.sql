-- What came back about mails that were sent: bounces and complaints, each once.
create table outrider.mail_report (
  account_id text not null references outrider.network_account(id),
  -- Message-ID of the report
  external_id text not null,
  kind text not null check (kind in ('hard_bounce', 'soft_bounce', 'complaint')),
  send_id uuid,
  address text not null,
  reason text not null default '',
  at bigint not null,
  primary key (account_id, external_id)
);

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
