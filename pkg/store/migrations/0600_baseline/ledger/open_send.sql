-- One row for each send without settled_at, kept by triggers of send, whoever writes it: what changes while a send is open stands in no index
-- of it, and who looks for open sends reads few rows. A discarded send stays here, since nobody learnt its outcome.
create table outrider.open_send (
  workspace_id text not null,
  send_id uuid not null,
  primary key (workspace_id, send_id)
) with (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 100000,
  autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1
);

alter table outrider.open_send enable row level security;
alter table outrider.open_send force row level security;
create policy app_visible on outrider.open_send for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.open_send to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.open_send for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.open_send to outrider_owner using (true) with check (true);
grant select on outrider.open_send to outrider_app;
grant select, insert, delete on outrider.open_send to outrider_definer;
grant select on outrider.open_send to outrider_executor;
