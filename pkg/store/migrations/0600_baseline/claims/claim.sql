-- Claims: a rising epoch per workspace (executor) or account (account sync), on the database clock.
create table outrider.claim (
  kind text not null check (kind in ('workspace', 'account')),
  key text not null,
  epoch bigint not null default 0,
  holder text,
  expires_at timestamptz,
  drain_epoch bigint,
  idle_epoch bigint,
  idle_since timestamptz,
  primary key (kind, key)
) with (fillfactor = 50, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

alter table outrider.claim enable row level security;
alter table outrider.claim force row level security;
create policy app_claims on outrider.claim to outrider_app using (true) with check (true);
create policy definer_all on outrider.claim to outrider_definer using (true) with check (true);
create policy owner_all on outrider.claim to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.claim to outrider_app;
grant select, insert, update, delete on outrider.claim to outrider_definer;
