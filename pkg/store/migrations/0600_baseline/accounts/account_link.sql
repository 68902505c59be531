-- Which workspaces use an account: every right of theirs to it, its budgets and its inbox follows from this. Tools and
-- `outrider mailbox connect` link.
create table outrider.account_link (
  account_id text not null references outrider.network_account(id),
  workspace_id text not null references outrider.workspace(id),
  -- of the account's daily limits, what is kept for this workspace whatever the others use; 0: what they leave
  share real not null default 0 check (share >= 0 and share <= 1),
  -- product time, epoch ms
  linked_at bigint not null,
  primary key (account_id, workspace_id)
);

-- The accounts of a workspace.
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
