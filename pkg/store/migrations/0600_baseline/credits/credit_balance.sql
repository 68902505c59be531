-- The credits of a workspace: one row, made with its first movement, whose lock makes all movements serial. Only the functions of this domain write
-- it; stays for good. Available is balance - held.
create table outrider.credit_balance (
  workspace_id text primary key,
  -- sum of grants, adjustments, refunds and settlements
  balance bigint not null default 0,
  -- credits of live holds
  held bigint not null default 0 check (held >= 0),
  constraint credit_balance_check check ((balance - held) >= 0)
);

alter table outrider.credit_balance enable row level security;
alter table outrider.credit_balance force row level security;
create policy app_visible on outrider.credit_balance to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.credit_balance to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.credit_balance to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.credit_balance to outrider_owner using (true) with check (true);
grant select on outrider.credit_balance to outrider_app;
grant select, insert, update, delete on outrider.credit_balance to outrider_definer;
grant select on outrider.credit_balance to outrider_executor;
