-- Contacts of a person by a workflow, whatever became of its runs (recontactAfterDays, minDaysBetweenTouches). Written by dispatches of sends
-- that reach a person, taken back when one is proven not to have happened; kept for ever.
create table outrider.contact_log (
  person_id uuid not null,
  workspace_id text not null,
  campaign_id text not null,
  workflow_id text not null,
  -- of the last touch
  account_id text not null,
  -- the last touch, epoch ms, product time
  last_at bigint not null,
  touches int not null default 0,
  -- when the person was reached before the last touch, so that a failure can be taken back; null: never, or nobody knows
  before_at bigint,
  primary key (person_id, workflow_id)
);

alter table outrider.contact_log enable row level security;
alter table outrider.contact_log force row level security;
create policy definer_all on outrider.contact_log to outrider_definer using (true) with check (true);
create policy owner_all on outrider.contact_log to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.contact_log to outrider_definer;
