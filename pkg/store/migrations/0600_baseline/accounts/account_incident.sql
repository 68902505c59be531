-- What happened to an account, for its health: sessions that broke, limit signals, restrictions. A trigger writes them
-- (app.on_account_change); kept for 90 days, as long as more happen.
create table outrider.account_incident (
  account_id text not null references outrider.network_account(id),
  -- product time, epoch ms; of a limit signal: until when the account rests
  at bigint not null,
  kind text not null check (kind in ('session_lost', 'restricted', 'limit_signal')),
  primary key (account_id, kind, at)
);

alter table outrider.account_incident enable row level security;
alter table outrider.account_incident force row level security;
create policy definer_all on outrider.account_incident to outrider_definer using (true) with check (true);
create policy owner_all on outrider.account_incident to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.account_incident to outrider_definer;
