-- Actions seen at the provider that no send of ours explains; each is counted once.
create table outrider.hand_action (
  account_id text not null references outrider.network_account(id),
  action text not null,
  -- the provider's id of message or invitation
  ref text not null,
  at bigint not null,
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
