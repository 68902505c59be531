-- The ledger of enrichment: which provider was asked for which field of whom, what it said, and what was paid for it.
-- The enrichment node, the automation and the tools all go through it.

-- A field of a lead, or a company as a whole, that was asked for. Unique: who asks meanwhile joins.
-- Written by app.begin_enrichment and app.settle_enrichment.
create table outrider.enrichment_field (
  workspace_id text not null,
  -- of the lead, or of the company
  subject_id uuid not null,
  -- profile, email, email_verification, phone; company
  field text not null,
  -- how often it was opened; attempts belong to a round
  round int not null default 1,
  -- product day on which the round began, days since 1970
  day int not null,
  -- hash of what the question names: another address or another employer is another question
  about text not null,
  -- not_found: all said no, or said what may not be written
  state text not null check (state in ('open', 'found', 'not_found', 'failed')),
  -- who works on it while it is open
  holder text not null,
  -- by the clock of the database: then another goes on with it
  lease_until timestamptz not null,
  -- whose answer was taken
  provider text,
  -- paid by the workspace for this round
  credits int not null default 0,
  -- epoch ms UTC, product time
  settled_at bigint,
  primary key (workspace_id, subject_id, field)
);

alter table outrider.enrichment_field enable row level security;
alter table outrider.enrichment_field force row level security;
create policy app_visible on outrider.enrichment_field to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.enrichment_field to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.enrichment_field for select to outrider_executor
  using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.enrichment_field to outrider_owner using (true) with check (true);
grant select, delete on outrider.enrichment_field to outrider_app;
grant select, insert, update, delete on outrider.enrichment_field to outrider_definer;
grant select on outrider.enrichment_field to outrider_executor;

-- A question to one provider for one field. Written by app.keep_enrichment before it is asked and when it answered.
create table outrider.enrichment_attempt (
  workspace_id text not null,
  subject_id uuid not null,
  field text not null,
  round int not null,
  provider text not null,
  -- asked: no answer yet; invalid: found, but no mail arrives there; mismatch: it is about somebody else
  outcome text not null check (outcome in ('asked', 'found', 'not_found', 'invalid', 'mismatch', 'failed')),
  -- what was found; emptied when the person is erased
  answer jsonb not null default '{}',
  -- 0 to 1 as the provider told; null: it did not
  confidence real,
  -- under which a provider that takes its time has the question
  ref text,
  -- failed tries that say something of the provider
  tries int not null default 0,
  -- for people; of a provider's words only what is safe to show
  error text,
  -- paid by the workspace for this answer
  credits int not null default 0,
  -- epoch ms UTC, product time
  asked_at bigint not null,
  answered_at bigint,
  primary key (workspace_id, subject_id, field, round, provider)
);

-- What failed lately, for svc_diagnose; what is too old.
create index enrichment_attempt_failed on outrider.enrichment_attempt (workspace_id, asked_at) where outcome = 'failed';
create index enrichment_attempt_age on outrider.enrichment_attempt (asked_at);

alter table outrider.enrichment_attempt enable row level security;
alter table outrider.enrichment_attempt force row level security;
create policy app_visible on outrider.enrichment_attempt to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.enrichment_attempt to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.enrichment_attempt for select to outrider_executor
  using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.enrichment_attempt to outrider_owner using (true) with check (true);
grant select, delete on outrider.enrichment_attempt to outrider_app;
grant select, insert, update, delete on outrider.enrichment_attempt to outrider_definer;
grant select on outrider.enrichment_attempt to outrider_executor;

-- Where each field of a company comes from: field -> {source, at, confidence}.
alter table outrider.company add column provenance jsonb not null default '{}';
