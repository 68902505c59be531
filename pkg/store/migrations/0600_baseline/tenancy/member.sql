-- Whoever belongs to a workspace, by role. The controller writes the owner, invitations the others. Times are product time, epoch ms.
create table outrider.member (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  user_id uuid not null references outrider.app_user(id),
  -- what it may do: specification, roles
  role text not null check (role in ('owner', 'admin', 'member', 'reviewer')),
  joined_at bigint not null,
  -- lags behind by minutes; null: never
  last_seen_at bigint,
  unique (workspace_id, user_id)
);

alter table outrider.member enable row level security;
alter table outrider.member force row level security;
create policy app_visible on outrider.member to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.member to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.member to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.member to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.member to outrider_app;
grant select, insert, update, delete on outrider.member to outrider_definer;

create trigger member_generation after insert or delete or update of role, user_id, workspace_id on outrider.member
  for each row execute function app.raise_generations();
