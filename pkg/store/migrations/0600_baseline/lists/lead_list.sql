create table outrider.lead_list (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text references outrider.campaign(id),
  name text not null,
  description text not null default '',
  type text not null check (type in ('static', 'query')),
  predicate jsonb,
  lead_count int not null default 0,
  last_materialized_at bigint,
  created_at bigint not null,
  deleted_at bigint,
  -- the predicate as app.find_leads takes it
  filter jsonb,
  max_leads int not null default 100000,
  materialized_tx xid8,
  purged_at bigint
);

create index lead_list_deleted on outrider.lead_list (deleted_at) where deleted_at is not null and purged_at is null;
create index lead_list_workspace on outrider.lead_list (workspace_id, created_at desc, id);

alter table outrider.lead_list enable row level security;
alter table outrider.lead_list force row level security;
create policy app_visible on outrider.lead_list to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_list to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead_list to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.lead_list to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_list to outrider_app;
grant select, insert, update, delete on outrider.lead_list to outrider_definer;
grant select on outrider.lead_list to outrider_executor;
grant update (lead_count) on outrider.lead_list to outrider_executor;

create trigger keep_campaign_count after insert or delete on outrider.lead_list for each row execute function app.keep_campaign_count('lead_lists');
create trigger keep_campaign_count_moved after update on outrider.lead_list for each row when (((old.campaign_id IS DISTINCT FROM new.campaign_id) or ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)))) execute function app.keep_campaign_count('lead_lists');
