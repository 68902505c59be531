-- A write to the Kubernetes API that a tool began: a retry after a crash goes on with the same object instead of making a second one. Written
-- before the object is applied; old ones are removed.
create table outrider.intent (
  workspace_id text not null,
  tool text not null,
  -- the caller's idempotencyKey, or one of the call
  intent_key text not null,
  -- metadata.name that was chosen
  object_name text not null,
  state text not null default 'started' check (state in ('started', 'done')),
  -- what the tool answered; null until then
  result json,
  -- another input under the same key is refused
  input_hash text not null,
  -- real time
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, tool, intent_key)
);

create index intent_age on outrider.intent (created_at);

alter table outrider.intent enable row level security;
alter table outrider.intent force row level security;
create policy app_visible on outrider.intent to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.intent to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.intent to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.intent to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.intent to outrider_app;
grant select, insert, update, delete on outrider.intent to outrider_definer;
