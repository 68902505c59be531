create table outrider.account_slot (
  account_id text not null references outrider.network_account(id) on delete cascade,
  heavy boolean not null,
  at bigint not null,
  -- nothing of the same class before this
  free_at bigint not null,
  workspace_id text not null references outrider.workspace(id) on delete cascade,
  run_id uuid not null,
  budgets text[] not null,
  -- false: a promise
  acted boolean not null default false,
  earliest bigint not null default 0,
  company_key text not null default ''
);

create index account_slot_calendar on outrider.account_slot (account_id, at);
create index account_slot_company on outrider.account_slot (workspace_id, company_key) where not acted and company_key <> '';
create unique index account_slot_promise on outrider.account_slot (run_id) where not acted;
create index account_slot_workspace on outrider.account_slot (workspace_id, account_id) where not acted;

alter table outrider.account_slot enable row level security;
alter table outrider.account_slot force row level security;
create policy definer_all on outrider.account_slot to outrider_definer using (true) with check (true);
create policy owner_all on outrider.account_slot to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.account_slot to outrider_definer;
