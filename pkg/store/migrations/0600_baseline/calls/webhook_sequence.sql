-- The number of the last webhook of a workspace (`last`): deliveries carry rising numbers by which a receiver sees their order. Written by
-- app.dispatch_calls.
create table outrider.webhook_sequence (
  workspace_id text primary key,
  last bigint not null
);

alter table outrider.webhook_sequence enable row level security;
alter table outrider.webhook_sequence force row level security;
create policy app_visible on outrider.webhook_sequence to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.webhook_sequence to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.webhook_sequence for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.webhook_sequence to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.webhook_sequence to outrider_definer;
