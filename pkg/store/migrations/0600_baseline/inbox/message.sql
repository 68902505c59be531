-- A message of a conversation, as account sync read it, each once. Never changed but by an erasure, which empties it.
create table outrider.message (
  id uuid primary key,
  conversation_id uuid not null references outrider.conversation(id),
  account_id text not null,
  -- the provider's id of it; of a mail its Message-ID
  external_id text not null,
  direction text not null check (direction in ('in', 'out')),
  -- null: it has none
  subject text,
  body text not null,
  -- epoch ms, product time
  sent_at bigint not null,
  status text not null default 'sent',
  -- of outgoing ones: 'workflow' (a run's own) or 'elsewhere' (by hand)
  via text not null default 'elsewhere',
  -- run that sent it
  run_id uuid,
  -- enums.replyClass; null: outgoing, or not classified
  reply_class text,
  -- Messages read before this start of the server are known; those read after it may be sends that a restored ledger lacks.
  noted_start timestamptz default pg_postmaster_start_time(),
  unique (account_id, external_id)
);

create index message_conversation on outrider.message (conversation_id, sent_at desc, id);

alter table outrider.message enable row level security;
alter table outrider.message force row level security;
create policy app_linked on outrider.message to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.message to outrider_definer using (true) with check (true);
create policy executor_account on outrider.message to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.message for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.message to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.message to outrider_app;
grant select, insert, update, delete on outrider.message to outrider_definer;
grant select, insert, update on outrider.message to outrider_executor;
