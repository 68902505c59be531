-- What is known of the relation of an account to a person, over all workspaces of the account: from settled sends, look-ups of profiles
-- and account sync. A merge of persons moves it. Times are product time, epoch ms. State `none` with
-- `connected_at`: there was a connection, and it was removed.
create table outrider.relation (
  account_id text not null references outrider.network_account(id),
  person_id uuid not null,
  -- the provider's id of the person; null: not met yet
  provider_id text,
  state text not null check (state in ('none', 'pending', 'connected')),
  -- the provider's id of the pending request; null: unknown, or none is pending
  invitation_id text,
  -- of the pending request, or of one that was accepted
  requested_at bigint,
  -- when the connection was made, or found
  connected_at bigint,
  primary key (person_id, account_id)
) with (fillfactor = 80, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

-- Persons by the provider's id, pending requests of an account.
create index relation_account on outrider.relation (account_id, provider_id);

alter table outrider.relation enable row level security;
alter table outrider.relation force row level security;
create policy app_linked on outrider.relation to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.relation to outrider_definer using (true) with check (true);
create policy executor_account on outrider.relation to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.relation for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.relation to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.relation to outrider_app;
grant select, insert, update, delete on outrider.relation to outrider_definer;
grant select, insert, update on outrider.relation to outrider_executor;

create trigger relation_met after insert on outrider.relation for each row when (new.provider_id <> '') execute function app.unite_by_provider_id();
create trigger relation_met_anew after update of provider_id on outrider.relation for each row
  when (new.provider_id <> '' and new.provider_id is distinct from old.provider_id) execute function app.unite_by_provider_id();
create trigger relation_met_heard after insert on outrider.relation for each row when (new.provider_id <> '') execute function app.hear_whom_it_met();
create trigger relation_met_heard_anew after update of provider_id on outrider.relation for each row
  when (new.provider_id <> '' and new.provider_id is distinct from old.provider_id) execute function app.hear_whom_it_met();
