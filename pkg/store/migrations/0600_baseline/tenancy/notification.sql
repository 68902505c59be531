-- What a member is told of; executors (app.notify_members) and tools write it. It goes with its lead's erasure or its workspace. Times are product
-- time, epoch ms.
create table outrider.notification (
  id uuid primary key,
  workspace_id text not null,
  user_id uuid not null,
  kind text not null,
  title text not null,
  text text not null,
  -- {leadId, runId, …}: what it is about, by kind
  data jsonb not null default '{}',
  -- what to call next; null: nothing
  next_tool text,
  -- what made it: the same origin tells a member once
  origin text not null,
  created_at bigint not null,
  -- null: unread
  read_at bigint,
  unique (workspace_id, user_id, origin)
);

-- What an erasure takes.
create index notification_lead on outrider.notification ((data ->> 'leadId')) where data ->> 'leadId' is not null;
create index notification_page on outrider.notification (workspace_id, user_id, created_at desc, id desc);
create index notification_workspace on outrider.notification (workspace_id, created_at desc, id desc);

alter table outrider.notification enable row level security;
alter table outrider.notification force row level security;
create policy app_visible on outrider.notification to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.notification to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.notification for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.notification to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.notification to outrider_app;
grant select, insert, update, delete on outrider.notification to outrider_definer;
grant select on outrider.notification to outrider_executor;
