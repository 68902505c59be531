-- An executor counts what a report tells (pkg/store/figures/metric-rows.ts) of its own workspace.
create policy executor_claim on outrider.campaign_pool for select to outrider_executor
  using (workspace_id = (select app.workspace()));
grant select on outrider.campaign_pool to outrider_executor;
grant select (workspace_id, kind, amount, run_id, campaign_id, at) on outrider.credit_entry to outrider_executor;
