-- Events that tools make, change and delete: the executor of the workspace performs what is asked for, and what
-- attendees are told by mail goes through the send ledger.

-- Whose wire format it speaks, which of the user's calendars it is (Google), and whether its server sends invitations
-- by itself. email is the address that invites.
alter table outrider.calendar_account add column provider text not null default 'caldav'
  check (provider in ('caldav', 'google'));
alter table outrider.calendar_account add column calendar_id text not null default '';
alter table outrider.calendar_account add column server_invites boolean not null default false;

-- One change of one event that is asked for.
create table outrider.calendar_change (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  -- calendar_account
  account_id text not null,
  -- answer: an attendee answered by mail
  kind text not null check (kind in ('create', 'update', 'delete', 'answer')),
  event_id text not null,
  -- {summary, description, location, start, end, allDay, attendees, notify, email, answer}, each optional
  wish jsonb not null,
  -- what is about to be written: {sequence, told: addresses, cancelled: addresses}; null: nothing was yet
  plan jsonb,
  state text not null default 'open' check (state in ('open', 'done', 'failed')),
  -- when it is tried next (epoch ms, product time, as all times here); null: it is over
  due_at bigint,
  -- tries that failed, since when
  tries int not null default 0,
  failing_since bigint,
  -- not_found, conflict, recurring …; null unless it failed for good
  outcome text,
  error text,
  html_link text not null default '',
  -- address or key of who asked
  made_by text not null,
  created_at bigint not null,
  ended_at bigint,
  check ((state = 'open') = (ended_at is null)),
  check ((due_at is null) = (ended_at is not null))
);

create index calendar_change_due on outrider.calendar_change (workspace_id, due_at) where due_at is not null;
create index calendar_change_open on outrider.calendar_change (account_id, created_at, id) where ended_at is null;
create index calendar_change_event on outrider.calendar_change (account_id, event_id, created_at);

alter table outrider.calendar_change enable row level security;
alter table outrider.calendar_change force row level security;
create policy app_visible on outrider.calendar_change to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.calendar_change to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.calendar_change to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.calendar_change to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.calendar_change to outrider_app;
grant select, insert, update, delete on outrider.calendar_change to outrider_definer;
grant select, update on outrider.calendar_change to outrider_executor;

-- An invitation is a mail for whom nobody has to be a lead: its action and send have the change that they tell of, and
-- neither lead nor person. Executors of the version before do not know the word invitation, and leave it alone.
alter table outrider.action add column calendar_change_id uuid;
alter table outrider.action drop constraint action_for_one;
alter table outrider.action add constraint action_for_one
  check (
    num_nonnulls(person_id, content_post_id, calendar_change_id) = 1 and (lead_id is null) = (person_id is null)
  ) not valid;
create index action_calendar on outrider.action (calendar_change_id) where calendar_change_id is not null;
