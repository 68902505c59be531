-- A stop that overrides the spec of a resource, or stops one run, until a tool or an annotation releases it: stopping always works. Deleting it
-- wakes the workspace.
create table outrider.hold (
  workspace_id text not null,
  kind text not null check (kind in ('workspace', 'campaign', 'workflow', 'run')),
  -- of what is held: its kind says which table
  id text not null,
  -- for people
  reason text not null,
  -- a user or key
  held_by text not null,
  -- epoch ms, product time
  created_at bigint not null,
  primary key (kind, id)
);

alter table outrider.hold enable row level security;
alter table outrider.hold force row level security;
create policy app_visible on outrider.hold to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.hold to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.hold to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.hold to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.hold to outrider_app;
grant select, insert, update, delete on outrider.hold to outrider_definer;
grant select on outrider.hold to outrider_executor;

create trigger wake_on_release after delete on outrider.hold for each row execute function app.wake_on_release();
