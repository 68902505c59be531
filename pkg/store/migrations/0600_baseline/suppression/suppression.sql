-- Suppression: checked at import, enrolment, review approval and dispatch. workspace_id null: agency or platform level.
create table outrider.suppression (
  id uuid primary key,
  workspace_id text,
  agency_id text,
  campaign_id text,
  level text not null check (level in ('campaign', 'workspace', 'agency', 'platform')),
  kind text not null check (kind in ('person', 'mail', 'domain', 'profile', 'name_company', 'keyword')),
  value text not null,
  person_id uuid,
  applies_to text not null default 'all_outreach' check (applies_to in ('signals', 'all_outreach')),
  source text not null,
  reason text not null default '',
  removable boolean not null default true,
  created_by text not null default '',
  created_at bigint not null,
  expires_at bigint
);

create index suppression_person on outrider.suppression (person_id);
create index suppression_value on outrider.suppression (kind, value);
create index suppression_word on outrider.suppression (workspace_id) where kind = 'keyword';
create index suppression_word_of_all on outrider.suppression (level) where kind = 'keyword' and level in ('platform', 'agency');
create index suppression_workspace on outrider.suppression (workspace_id, created_at desc);

alter table outrider.suppression enable row level security;
alter table outrider.suppression force row level security;
create policy app_suppression_global on outrider.suppression for select to outrider_app using (level = 'platform');
create policy app_visible on outrider.suppression to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.suppression to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.suppression to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check ((workspace_id = (select app.workspace())) and (level in ('workspace', 'campaign')) and agency_id is null);
create policy executor_suppression_global on outrider.suppression for select to outrider_executor using (level = 'platform');
create policy owner_all on outrider.suppression to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.suppression to outrider_app;
grant select, insert, update, delete on outrider.suppression to outrider_definer;
grant select, insert on outrider.suppression to outrider_executor;
