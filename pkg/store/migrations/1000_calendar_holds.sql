-- Times of a calendar that were offered to somebody: for a day nobody else is offered the same.

create table outrider.calendar_hold (
  calendar_id text not null references outrider.calendar_account(id) on delete cascade,
  -- who may have it: lead:<id>, or conversation:<id> of somebody who is no lead
  holder text not null,
  -- [start_at, end_at), epoch ms UTC, product time as all times here
  start_at bigint not null,
  end_at bigint not null check (end_at > start_at),
  workspace_id text not null references outrider.workspace(id),
  lead_id uuid,
  expires_at bigint not null,
  primary key (calendar_id, holder, start_at, end_at)
);

create index calendar_hold_expiry on outrider.calendar_hold (expires_at);
-- Rows of a person who is erased.
create index calendar_hold_lead on outrider.calendar_hold (workspace_id, lead_id) where lead_id is not null;

alter table outrider.calendar_hold enable row level security;
alter table outrider.calendar_hold force row level security;
create policy app_visible on outrider.calendar_hold to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.calendar_hold to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.calendar_hold for select to outrider_executor
  using (workspace_id = (select app.workspace()));
create policy owner_all on outrider.calendar_hold to outrider_owner using (true) with check (true);
grant select, delete on outrider.calendar_hold to outrider_app;
grant select, insert, update, delete on outrider.calendar_hold to outrider_definer;
grant select on outrider.calendar_hold to outrider_executor;
