-- A list of leads: static (leads are added by hand or by an import) or a query, whose members follow the leads (app.materialise_list). Written by
-- tools; a deleted one is a tombstone, and is emptied after the workspace's retentionDays.
create table outrider.lead_list (
  id uuid primary key,
  workspace_id text not null,
  -- campaign that it is attached to; null: none
  campaign_id text references outrider.campaign(id),
  name text not null,
  description text not null default '',
  type text not null check (type in ('static', 'query')),
  -- of a query: the search as it was given
  predicate jsonb,
  -- members, kept by whoever adds and removes
  lead_count int not null default 0,
  -- when something changed for a query list last; times are epoch ms, product time
  last_materialized_at bigint,
  created_at bigint not null,
  deleted_at bigint,
  -- the predicate as app.find_leads takes it
  filter jsonb,
  -- of a query: the newest so many
  max_leads int not null default 100000,
  -- of a query: what was committed before this transaction is in it; null: go through all leads
  materialized_tx xid8,
  -- when its content went
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
create trigger keep_campaign_count_moved after update on outrider.lead_list for each row
  when (old.campaign_id is distinct from new.campaign_id or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function app.keep_campaign_count('lead_lists');
