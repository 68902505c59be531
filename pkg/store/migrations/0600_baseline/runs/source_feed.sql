-- How far a source node of a workflow has fed today (maxPerDay). Written by the workspace's executor with the enrolments; one row per node that
-- ever fed.
create table outrider.source_feed (
  workspace_id text not null,
  workflow_id text not null,
  node_id text not null,
  -- local date of the workspace that `fed` counts
  feed_date date not null,
  -- leads taken on that date
  fed int not null default 0,
  -- when it is to feed again, epoch ms, product time; null: when something wakes it
  next_at bigint,
  primary key (workflow_id, node_id)
);

alter table outrider.source_feed enable row level security;
alter table outrider.source_feed force row level security;
create policy app_visible on outrider.source_feed to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.source_feed to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.source_feed to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.source_feed to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.source_feed to outrider_app;
grant select, insert, update, delete on outrider.source_feed to outrider_definer;
grant select, insert, update on outrider.source_feed to outrider_executor;
