-- Servers, password and rules of an account of kind `mail`; its budgets, hours and pauses stand in network_account. `outrider mailbox connect`
-- writes it. Rates are those of the catalog's defaults.mail.
create table outrider.mailbox (
  account_id text primary key references outrider.network_account(id),
  address text not null,
  smtp_host text not null,
  smtp_port int not null check ((smtp_port >= 1) and (smtp_port <= 65535)),
  smtp_tls text not null check (smtp_tls in ('implicit', 'starttls', 'none')),
  imap_host text not null,
  imap_port int not null check ((imap_port >= 1) and (imap_port <= 65535)),
  imap_tls text not null check (imap_tls in ('implicit', 'starttls', 'none')),
  -- at both servers
  username text not null,
  -- the password, sealed with the installation's key for this account
  sealed bytea,
  -- the server itself keeps a copy of what it sends: "not found" there proves something
  saves_sent boolean not null default false,
  -- name of the IMAP folder
  sent_folder text not null default 'Sent',
  -- between two mails
  min_gap_ms bigint not null default 300000 check (min_gap_ms >= 0),
  -- shares of what was sent in 30 days, from min_sample mails on (app.judge_mailbox)
  pause_at_bounce_rate real not null default 0.03,
  pause_at_complaint_rate real not null default 0.001,
  min_sample int not null default 50,
  -- why its mails came back too often; empty: they did not, or it was resumed since (`outrider mailbox connect --resume`)
  pause_reason text not null default ''
);

alter table outrider.mailbox enable row level security;
alter table outrider.mailbox force row level security;
create policy app_linked on outrider.mailbox to outrider_app
  using (account_id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or account_id in (select app.linked_accounts()));
create policy definer_all on outrider.mailbox to outrider_definer using (true) with check (true);
create policy executor_linked on outrider.mailbox for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.mailbox to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.mailbox to outrider_app;
grant select, insert, update, delete on outrider.mailbox to outrider_definer;
grant select on outrider.mailbox to outrider_executor;
