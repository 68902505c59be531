-- Notifications are made of events (reader 'notifications'): one per event and member, grouped in place while unread,
-- and sent by the channels that a member chose.

-- Those that were there before are neither mailed nor judged anew.
alter table outrider.notification
  -- notifications of one key are one row while it is unread; null: stands alone
  add column group_key text,
  -- events that it tells of
  add column events int not null default 1,
  -- whether its member reads it in the product; false: by mail only
  add column in_app boolean not null default true,
  -- epoch ms, product time, as the two below; null: nobody decided yet by which channels it goes
  add column routed_at bigint default 0,
  -- when it may go by mail; null: it does not, or did
  add column mail_at bigint,
  -- when a mail that tells of it was queued last; null: none was
  add column mailed_at bigint;
alter table outrider.notification alter column routed_at drop default;

create unique index notification_group on outrider.notification (workspace_id, user_id, group_key)
  where read_at is null and group_key is not null;
create index notification_unrouted on outrider.notification (workspace_id) where routed_at is null;
create index notification_mail on outrider.notification (mail_at) where mail_at is not null;

-- Which event a member was told of: once, however often it is read and by however many processes.
create table outrider.notification_event (
  workspace_id text not null,
  user_id uuid not null,
  -- run_event.seq
  seq bigint not null,
  -- epoch ms, product time; old rows go, since no reader goes back
  told_at bigint not null,
  primary key (workspace_id, user_id, seq)
);

create index notification_event_told on outrider.notification_event using brin (told_at);

alter table outrider.notification_event enable row level security;
alter table outrider.notification_event force row level security;
create policy app_platform on outrider.notification_event to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.notification_event to outrider_definer using (true) with check (true);
create policy owner_all on outrider.notification_event to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.notification_event to outrider_app;
grant select, insert, delete on outrider.notification_event to outrider_definer;

-- What a member chose in a workspace; what is absent there is as the workspace chose (the row without a user), else as
-- the product does (pkg/domain/notifications).
create table outrider.notification_preference (
  workspace_id text not null references outrider.workspace(id),
  -- null: of the workspace, for members who chose nothing
  user_id uuid references outrider.app_user(id),
  -- kind of event -> list of in_app, email, webhook, chat
  channels jsonb not null default '{}',
  digest text check (digest in ('off', 'hourly', 'daily')),
  -- {startHour, endHour, timezone}; an empty object: none
  quiet_hours jsonb,
  -- epoch ms, product time
  updated_at bigint not null,
  unique nulls not distinct (workspace_id, user_id)
);

alter table outrider.notification_preference enable row level security;
alter table outrider.notification_preference force row level security;
create policy app_visible on outrider.notification_preference to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.notification_preference to outrider_definer using (true) with check (true);
create policy owner_all on outrider.notification_preference to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.notification_preference to outrider_app;
grant select, insert, update, delete on outrider.notification_preference to outrider_definer;
