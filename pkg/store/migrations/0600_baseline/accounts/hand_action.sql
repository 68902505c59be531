-- Actions seen at the provider that no send of ours explains: somebody made them by hand. Account sync counts each once against the
-- account's budgets (app.count_by_hand); kept for good, for a restored database is compared with them.
create table outrider.hand_action (
  account_id text not null references outrider.network_account(id),
  -- message, inmail, connection_request or connection_request_with_note
  action text not null,
  -- the provider's id of message or invitation
  ref text not null,
  -- product time, epoch ms
  at bigint not null,
  -- start of the server on which it was noted; null: before that was kept
  noted_start timestamptz default pg_postmaster_start_time(),
  primary key (account_id, action, ref)
);

alter table outrider.hand_action enable row level security;
alter table outrider.hand_action force row level security;
create policy app_linked on outrider.hand_action for select to outrider_app using (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.hand_action to outrider_definer using (true) with check (true);
create policy owner_all on outrider.hand_action to outrider_owner using (true) with check (true);
grant select on outrider.hand_action to outrider_app;
grant select, insert, update, delete on outrider.hand_action to outrider_definer;
