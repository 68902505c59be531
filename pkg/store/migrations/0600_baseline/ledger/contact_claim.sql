-- Who follows a person, at the scope of the campaign's contact policy (catalog: dedupeScope): one run at a time. scope_key: campaign:<id>,
-- workspace:<id>, account:<id> or agency:<id> (app.scope_key). Written by enrolment, claims of sends, hand-offs, the end of runs and merges of
-- persons; proof of contact, so it outlives leads and deleted workspaces.
create table outrider.contact_claim (
  scope_key text not null,
  person_id uuid not null,
  workspace_id text not null,
  -- the run that follows the person, or did last
  run_id uuid,
  -- epoch ms, product time, as all that follow
  taken_at bigint not null,
  -- null: it still does
  released_at bigint,
  -- nobody takes a released claim before (recontactAfterDays); null: at once
  cool_until bigint,
  primary key (person_id, scope_key)
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

-- The claims of a run that ends or is handed off.
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
