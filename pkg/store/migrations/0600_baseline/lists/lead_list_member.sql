-- A lead in a list. Written with lead_list.lead_count; goes when the lead leaves, is erased or the list is purged.
create table outrider.lead_list_member (
  workspace_id text not null,
  lead_list_id uuid not null references outrider.lead_list(id),
  lead_id uuid not null references outrider.lead(id),
  -- epoch ms, product time
  added_at bigint not null,
  primary key (lead_list_id, lead_id)
);

-- Candidates of a campaign are found by lead, a chunk at a time.
create index lead_list_member_lead on outrider.lead_list_member (lead_id, lead_list_id);

alter table outrider.lead_list_member enable row level security;
alter table outrider.lead_list_member force row level security;
create policy app_visible on outrider.lead_list_member to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_list_member to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead_list_member to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.lead_list_member to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_list_member to outrider_app;
grant select, insert, update, delete on outrider.lead_list_member to outrider_definer;
grant select, insert on outrider.lead_list_member to outrider_executor;
