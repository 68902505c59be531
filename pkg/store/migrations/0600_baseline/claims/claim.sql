-- Who may act for a workspace (an executor) or an account (account sync): one holder at a time, under an epoch that rises with each
-- takeover. All times are real, on the database's clock. Made at the first claim, kept for good; see app.take_claim.
create table outrider.claim (
  kind text not null check (kind in ('workspace', 'account')),
  -- id of the workspace or account
  key text not null,
  epoch bigint not null default 0,
  -- uid of the pod; null: free
  holder text,
  -- null: free
  expires_at timestamptz,
  -- the epoch whose holder the operator has told to finish and give it back
  drain_epoch bigint,
  -- the epoch whose holder says that it has nothing due, and since when
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
