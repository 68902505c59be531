-- Events for those who follow them outside (webhooks, chats): one row per endpoint and event. The reader of events
-- writes it in the transaction that moves its position, and MCP servers send it. Times are product time, epoch ms.
create table outrider.delivery (
  id uuid primary key,
  workspace_id text not null,
  integration_id text not null references outrider.integration(id),
  -- event_number.number, and what finds the event, which is read when it is told: nothing of it is kept twice
  number bigint not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  -- whom the event names: while this waits, later ones of the same leads wait too
  lead_ids uuid[] not null default '{}',
  -- dropped: nobody may or wants to have it any more
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  -- tries since it was written or replayed
  attempts int not null default 0,
  due_at bigint not null,
  -- which process tries it now, and until when (real time) nobody else does
  holder uuid,
  lease_until timestamptz,
  -- why the last try failed; null: none did
  error text,
  created_at bigint not null,
  -- null: it waits
  settled_at bigint,
  unique (integration_id, seq)
);

create index delivery_waiting on outrider.delivery (integration_id, number) where state = 'waiting';
create index delivery_due on outrider.delivery (integration_id, due_at) where state = 'waiting';
create index delivery_latest on outrider.delivery (integration_id, number);
create index delivery_settled on outrider.delivery (settled_at) where settled_at is not null;

alter table outrider.delivery enable row level security;
alter table outrider.delivery force row level security;
create policy app_visible on outrider.delivery to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.delivery to outrider_definer using (true) with check (true);
create policy owner_all on outrider.delivery to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.delivery to outrider_app;
grant select, insert, update, delete on outrider.delivery to outrider_definer;

-- Who chose the events: what this key, or this user as a member, may read is delivered, and no more.
alter table outrider.integration
  add column subscriber_key uuid,
  add column subscriber_user uuid,
  -- nothing is delivered before: the other side asked for patience, or does not answer
  add column hold_until bigint,
  -- since when the product has paused it; null: it has not
  add column paused_at bigint;

create index integration_following on outrider.integration (workspace_id)
  where kind in ('webhook', 'chat') and deleted_at is null;

-- An endpoint that paused itself says so as well.
drop trigger told_error on outrider.integration;
create trigger told_error after update on outrider.integration for each row
  when (old.status <> new.status and new.status in ('needs_auth', 'error', 'paused'))
  execute function app.tell_integration();
