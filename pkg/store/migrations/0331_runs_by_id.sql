-- An executor asks for runs by their ids, or names the workspace itself. A condition that no index serves keeps a planner that
-- knows nothing of the table yet (never analyzed) from reading all runs of the workspace and the batch once for each of them.
set local search_path = outrider, app, public;

drop policy executor_claim on outrider.run;
create policy executor_claim on outrider.run to outrider_executor
  using ((workspace_id = (select app.workspace())) is true) with check (workspace_id = (select app.workspace()));
