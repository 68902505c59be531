-- One tool call: who, what, how it ended; inputs by hash and record ids only. Each server writes a chain of its own, in batches; kept for
-- good. Nobody may change or delete one.
create table outrider.audit_event (
  seq bigint primary key generated always as identity,
  id uuid not null,
  -- product time, epoch ms
  at bigint not null,
  -- how it authenticated
  actor_kind text not null,
  actor_id text not null,
  key_prefix text,
  tool text not null,
  -- null: the call was about none, or about several
  workspace_id text,
  -- not written; record_ids has what the call was about
  record_type text not null default '',
  record_id text not null default '',
  -- {reason}: why, where the caller had to say so (tools of platform admins); else empty
  change jsonb not null default '{}',
  request_id text not null,
  -- SHA-256 of previous_hash and the record (pkg/store/audit.ts)
  hash text not null,
  previous_hash text not null,
  -- of the server's process; position from 1, without a gap
  chain uuid,
  position bigint,
  -- ok, refused, limited (by a request limit, before anything else was looked at), cancelled, fault or gap
  outcome text not null default 'ok',
  -- of several calls: from the first to the last
  duration_us bigint not null default 0,
  -- SHA-256 of the input
  input_hash text not null default '',
  record_ids text[] not null default '{}',
  -- Calls that a limit refused are in the audit log too: those of one key and one tool that were refused in one batch share
  -- a record, which says how many they were.
  calls bigint not null default 1 check (calls > 0)
);

create index audit_event_call on outrider.audit_event (id);
create unique index audit_event_link on outrider.audit_event (chain, position);
create index audit_workspace on outrider.audit_event (workspace_id, seq desc);

alter table outrider.audit_event enable row level security;
alter table outrider.audit_event force row level security;
create policy app_audit_global on outrider.audit_event to outrider_app using (workspace_id is null) with check (workspace_id is null);
create policy app_visible on outrider.audit_event to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.audit_event to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.audit_event to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.audit_event to outrider_owner using (true) with check (true);
grant select, insert on outrider.audit_event to outrider_app;
grant select, insert, update, delete on outrider.audit_event to outrider_definer;

grant usage on sequence outrider.audit_event_seq_seq to outrider_app, outrider_executor, outrider_definer;
