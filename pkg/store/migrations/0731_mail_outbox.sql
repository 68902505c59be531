-- Mails of the platform itself (invitations, and what else tells members), which the server sends through one SMTP
-- server. Times in epoch ms are product time; what is timestamptz is real time. Rows are kept for a month after they
-- ended, without what they said.
create table outrider.mail_outbox (
  id uuid primary key,
  -- the same mail is queued once
  idempotency_key text not null unique,
  -- what it says (pkg/domain/system-mails)
  kind text not null,
  -- whose share it counts in; null: the platform's
  workspace_id text references outrider.workspace(id),
  recipient text not null,
  -- what the text is made of; empty once it ended
  params jsonb not null,
  -- the link, sealed for this row; null once it ended
  sealed bytea,
  -- sending: the content may have been given away, so that it is never sent again unless the server refused it;
  -- unknown: it was given away, and the answer was lost
  state text not null default 'queued'
    check (state in ('queued', 'leased', 'sending', 'sent', 'failed', 'unknown', 'expired')),
  attempts int not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  -- who works on it until then
  holder uuid,
  lease_until timestamptz,
  -- why the last attempt failed; null: none did
  error text,
  created_at bigint not null,
  -- what did not leave until then does not leave any more
  expires_at bigint not null,
  -- null: it is not over
  settled_at bigint
);

create index mail_outbox_open on outrider.mail_outbox (next_at) where settled_at is null;
create index mail_outbox_recipient on outrider.mail_outbox (lower(recipient), created_at);
create index mail_outbox_settled on outrider.mail_outbox (settled_at) where settled_at is not null;
create index mail_outbox_workspace on outrider.mail_outbox (workspace_id, created_at);

alter table outrider.mail_outbox enable row level security;
alter table outrider.mail_outbox force row level security;
create policy app_platform on outrider.mail_outbox to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.mail_outbox to outrider_definer using (true) with check (true);
create policy owner_all on outrider.mail_outbox to outrider_owner using (true) with check (true);
grant select, update, delete on outrider.mail_outbox to outrider_app;
grant select, insert, update, delete on outrider.mail_outbox to outrider_definer;
