-- What is known of how the mails of a mailbox are proven.

-- What the DNS said of the domain of a mailbox, at the last look. Account sync writes it, once an hour at most.
create table outrider.mail_check (
  account_id text primary key references outrider.network_account(id),
  domain text not null,
  -- epoch ms, product time
  checked_at bigint not null,
  -- {spf, dkim, dmarc: {state, failedAt}, dmarcPolicy, problems: []} (pkg/domain/mail-auth.ts)
  stand jsonb not null
);

alter table outrider.mail_check enable row level security;
alter table outrider.mail_check force row level security;
create policy app_linked on outrider.mail_check to outrider_app
  using (account_id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or account_id in (select app.linked_accounts()));
create policy definer_all on outrider.mail_check to outrider_definer using (true) with check (true);
create policy executor_account on outrider.mail_check to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy owner_all on outrider.mail_check to outrider_owner using (true) with check (true);
grant select on outrider.mail_check to outrider_app;
grant select, insert, update, delete on outrider.mail_check to outrider_definer;
grant select, insert, update on outrider.mail_check to outrider_executor;

-- With which DKIM selectors mails of a mailbox were signed where they arrived: they can not be listed otherwise.
create table outrider.mail_selector (
  account_id text not null references outrider.network_account(id),
  domain text not null,
  selector text not null,
  -- the newest signature covers both headers of one-click unsubscribe
  one_click boolean not null,
  -- epoch ms, product time
  seen_at bigint not null,
  primary key (account_id, domain, selector)
);

alter table outrider.mail_selector enable row level security;
alter table outrider.mail_selector force row level security;
create policy app_linked on outrider.mail_selector to outrider_app
  using (account_id in (select app.linked_accounts()) or (select app.is_platform()))
  with check ((select app.is_platform()) or account_id in (select app.linked_accounts()));
create policy definer_all on outrider.mail_selector to outrider_definer using (true) with check (true);
create policy executor_account on outrider.mail_selector to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy owner_all on outrider.mail_selector to outrider_owner using (true) with check (true);
grant select on outrider.mail_selector to outrider_app;
grant select, insert, update, delete on outrider.mail_selector to outrider_definer;
grant select, insert, update on outrider.mail_selector to outrider_executor;
