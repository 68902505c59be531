-- Who follows a person now, at the policy's scope; proof of contact outlives everything. scope_key: campaign:<id>,
-- workspace:<id>, account:<id> or agency:<id>.
create table outrider.contact_claim (
  scope_key text not null,
  person_id uuid not null,
  workspace_id text not null,
  run_id uuid,
  taken_at bigint not null,
  released_at bigint,
  -- nobody enrols the person before (recontactAfterDays)
  cool_until bigint,
  primary key (person_id, scope_key)
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

create index contact_claim_run on outrider.contact_claim (run_id) where released_at is null;

alter table outrider.contact_claim enable row level security;
alter table outrider.contact_claim force row level security;
create policy app_visible on outrider.contact_claim to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.contact_claim to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.contact_claim to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.contact_claim to outrider_owner using (true) with check (true);
grant select on outrider.contact_claim to outrider_app;
grant select, insert, update, delete on outrider.contact_claim to outrider_definer;
