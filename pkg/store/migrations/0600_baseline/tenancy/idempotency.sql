-- Results of calls that are answered once: by their idempotencyKey for seven days, else by a natural key for 60 seconds (real time; catalog:
-- conventions). The call's transaction writes it; the leader purges.
create table outrider.idempotency (
  workspace_id text not null,
  -- with workspace and key what the answer is bound to
  tool text not null,
  idempotency_key text not null,
  -- the same key with other input is refused
  input_hash text not null,
  -- the tool's answer; null only within the call's own transaction
  result json,
  created_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, tool, idempotency_key)
);

-- What is old enough to go.
create index idempotency_age on outrider.idempotency (created_at);

alter table outrider.idempotency enable row level security;
alter table outrider.idempotency force row level security;
create policy app_visible on outrider.idempotency to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.idempotency to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.idempotency to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.idempotency to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.idempotency to outrider_app;
grant select, insert, update, delete on outrider.idempotency to outrider_definer;
