-- Who is due when: an entry names runs of one workspace and one lane that have the same place (app.agenda_at); a run with a place stands in at
-- least one entry of exactly that place. An entry may also name runs that are elsewhere by now, or one twice. Parked runs (stopped from outside)
-- stand at the end of time (app.parked_at), where nothing is ever due. Kept by app.keep_agenda, whoever writes the run; app.claim_due and app.rest
-- take entries out.
create table outrider.agenda (
  workspace_id text not null,
  -- epoch ms, product time
  due_at bigint not null,
  -- 0 or 1: of the runs' accounts (app.lane_of); of parked runs their workflow's (app.parked_lane), or -1 with the account whose freeze holds them
  -- (frozen_account)
  lane smallint not null,
  -- at most 100: as many as lie in the row itself
  run_ids uuid[] not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 1,
  autovacuum_analyze_threshold = 100000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);
alter table outrider.agenda alter column run_ids set statistics 0;

-- With the lane, so that the entries of the other one are passed over without being read.
create index agenda_due on outrider.agenda (workspace_id, due_at, lane);

alter table outrider.agenda enable row level security;
alter table outrider.agenda force row level security;
create policy app_visible on outrider.agenda for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.agenda to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.agenda for select to outrider_executor using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.agenda to outrider_owner using (true) with check (true);
grant select on outrider.agenda to outrider_app;
grant select, insert, update, delete on outrider.agenda to outrider_definer;
grant select on outrider.agenda to outrider_executor;
