-- An exclusion: who must not be contacted. Checked at import, enrolment, approval and dispatch (app.suppressions_of). Written by tools, imports,
-- replies, unsubscribing, bounces and erasures; stays until a person lifts it, or until it expires.
create table outrider.suppression (
  id uuid primary key,
  -- null: of the agency or the platform
  workspace_id text,
  -- of an exclusion of an agency
  agency_id text,
  -- of an exclusion of one campaign
  campaign_id text,
  level text not null check (level in ('campaign', 'workspace', 'agency', 'platform')),
  kind text not null check (kind in ('person', 'mail', 'domain', 'profile', 'name_company', 'keyword')),
  -- in the form of its kind: id of a person, address or its hash, domain, public id of a profile, name@company (app.plain_words, app.company_key),
  -- words
  value text not null,
  -- whoever it meets for sure; null: known by value only
  person_id uuid,
  -- signals: signal agents leave them out; all_outreach: nobody contacts them
  applies_to text not null default 'all_outreach' check (applies_to in ('signals', 'all_outreach')),
  -- enums.suppressionSource of the catalog
  source text not null,
  reason text not null default '',
  -- false: nobody but the person could take it back
  removable boolean not null default true,
  -- a user or key, or 'account-sync', 'workflow', 'erasure' …
  created_by text not null default '',
  -- epoch ms, product time
  created_at bigint not null,
  -- null: never
  expires_at bigint
);

create index suppression_person on outrider.suppression (person_id);
create index suppression_value on outrider.suppression (kind, value);
-- Words of a workspace (app.suppressions_of); those of agencies and the platform below.
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
