-- A version of a workspace's playbook, by which texts are written. Added by tools, never changed; the newest counts, and all go with the purge of
-- the workspace.
create table outrider.playbook (
  workspace_id text not null,
  version int not null check (version >= 1),
  text text not null,
  source text not null check (source in ('manual', 'generated')),
  -- of a generated text: which writer
  writer text not null default '',
  created_by text not null default '',
  -- epoch ms, product time
  created_at bigint not null,
  primary key (workspace_id, version)
);

alter table outrider.playbook enable row level security;
alter table outrider.playbook force row level security;
create policy app_visible on outrider.playbook to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.playbook to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.playbook for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.playbook to outrider_owner using (true) with check (true);
grant select, insert on outrider.playbook to outrider_app;
grant select, insert, delete on outrider.playbook to outrider_definer;
grant select on outrider.playbook to outrider_executor;
