create table outrider.account_link (
  account_id text not null references outrider.network_account(id),
  workspace_id text not null references outrider.workspace(id),
  share real not null default 0 check (share >= 0 and share <= 1),
  linked_at bigint not null,
  primary key (account_id, workspace_id)
);

create index account_link_workspace on outrider.account_link (workspace_id);

alter table outrider.account_link enable row level security;
alter table outrider.account_link force row level security;
create policy app_visible on outrider.account_link to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.account_link to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.account_link to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.account_link to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_link to outrider_app;
grant select, insert, update, delete on outrider.account_link to outrider_definer;
grant select on outrider.account_link to outrider_executor;

create trigger account_linked after insert on outrider.account_link for each row execute function app.on_account_linked();
