-- A conversation of an account with one participant, as account sync reads it (or the reader of a mailbox); one inbox per account, which all its
-- workspaces see. Stays as long as the account; of an erased person its words go.
create table outrider.conversation (
  id uuid primary key,
  account_id text not null references outrider.network_account(id),
  -- the provider's id of it
  external_id text not null,
  -- null: a stranger; set when the account meets them (app.hear_whom_it_met)
  person_id uuid,
  participant_name text not null default '',
  participant_headline text not null default '',
  participant_profile_url text not null default '',
  -- epoch ms, product time, as all times here
  last_message_at bigint not null default 0,
  preview text not null default '',
  -- messages, as the provider says it
  unread int not null default 0,
  -- enums.replyClass of the newest incoming message that has one
  reply_class text not null default 'unclassified',
  -- when its messages were read last; 0: never
  synced_at bigint not null default 0,
  -- what is older than this stays empty however often it is read; null: nobody was erased
  erased_at bigint,
  -- the participant's id on the network, by which they are known later; null or '': not told
  provider_id text,
  -- an InMail conversation
  in_mail boolean not null default false,
  unique (account_id, external_id)
);

create index conversation_account on outrider.conversation (account_id, last_message_at desc, id);
-- Lists of one class, and of unread ones below.
create index conversation_class on outrider.conversation (account_id, reply_class, last_message_at desc, id desc) where reply_class <> 'unclassified';
create index conversation_person on outrider.conversation (person_id, account_id, last_message_at desc);
-- Who is met: what they said before.
create index conversation_stranger on outrider.conversation (account_id, provider_id) where person_id is null and provider_id <> '';
create index conversation_unread on outrider.conversation (account_id, last_message_at desc, id desc) where unread > 0;
-- Search by names and words (app.find_conversations).
create index conversation_words on outrider.conversation
  using gin (participant_name public.gin_trgm_ops, preview public.gin_trgm_ops) with (gin_pending_list_limit = 512);

alter table outrider.conversation enable row level security;
alter table outrider.conversation force row level security;
create policy app_linked on outrider.conversation to outrider_app
  using (account_id in (select app.linked_accounts()))
  with check (account_id in (select app.linked_accounts()));
create policy definer_all on outrider.conversation to outrider_definer using (true) with check (true);
create policy executor_account on outrider.conversation to outrider_executor
  using (account_id = (select app.account()))
  with check (account_id = (select app.account()));
create policy executor_linked on outrider.conversation for select to outrider_executor using (account_id in (select app.linked_accounts()));
create policy owner_all on outrider.conversation to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.conversation to outrider_app;
grant select, insert, update, delete on outrider.conversation to outrider_definer;
grant select, insert, update on outrider.conversation to outrider_executor;
