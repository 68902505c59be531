-- Last contact of a person by a workspace (recontactAfterDays, minDaysBetweenTouches), whatever became of the run.
create table outrider.contact_log (
  person_id uuid not null,
  workspace_id text not null,
  campaign_id text not null,
  workflow_id text not null,
  account_id text not null,
  last_at bigint not null,
  touches int not null default 0,
  -- When the person was reached before the last touch; null: never, or nobody knows.
  before_at bigint,
  primary key (person_id, workflow_id)
);

alter table outrider.contact_log enable row level security;
alter table outrider.contact_log force row level security;
create policy definer_all on outrider.contact_log to outrider_definer using (true) with check (true);
create policy owner_all on outrider.contact_log to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.contact_log to outrider_definer;
