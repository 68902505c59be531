-- A feed or a page of a site in which a signal agent looks for news of companies, and what it showed at the last look.
create table outrider.signal_source (
  id uuid primary key,
  agent_id uuid not null references outrider.signal_agent(id) on delete cascade,
  workspace_id text not null,
  kind text not null check (kind in ('feed', 'site')),
  -- https
  url text not null,
  -- the company whose own it is, which "we" means; null: it tells of those that it names
  company_id uuid,
  -- of a site: what it said, with which the next look compares
  state jsonb not null default '{}',
  -- looks in a row that gave nothing, and why the last one did
  faults int not null default 0,
  fault text not null default '',
  -- epoch ms, product time, as all times here; 0: nobody looked yet
  looked_at bigint not null default 0,
  -- last time that it could be read; null: never
  read_at bigint,
  created_at bigint not null,
  unique (agent_id, url)
);

create index signal_source_workspace on outrider.signal_source (workspace_id);

alter table outrider.signal_source enable row level security;
alter table outrider.signal_source force row level security;
create policy app_visible on outrider.signal_source to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_source to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_source to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_source to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_source to outrider_app;
grant select, insert, update, delete on outrider.signal_source to outrider_definer;
grant select, update on outrider.signal_source to outrider_executor;

-- What a feed has shown, by hashes: an edited date, a rotated id or another order makes nothing new.
create table outrider.signal_source_item (
  source_id uuid not null references outrider.signal_source(id) on delete cascade,
  item text not null,
  workspace_id text not null,
  last_seen_at bigint not null,
  primary key (source_id, item)
);

create index signal_source_item_old on outrider.signal_source_item (source_id, last_seen_at);
create index signal_source_item_workspace on outrider.signal_source_item (workspace_id);

alter table outrider.signal_source_item enable row level security;
alter table outrider.signal_source_item force row level security;
create policy app_visible on outrider.signal_source_item to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_source_item to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_source_item to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_source_item to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_source_item to outrider_app;
grant select, insert, update, delete on outrider.signal_source_item to outrider_definer;
grant select, insert, update, delete on outrider.signal_source_item to outrider_executor;

-- How many people the page of a company on the network showed when an agent of the workspace last looked at it.
create table outrider.signal_company_watch (
  workspace_id text not null,
  company_id uuid not null references outrider.company(id) on delete cascade,
  looked_at bigint not null,
  -- null: the page shows no number
  headcount int,
  primary key (workspace_id, company_id)
);

create index signal_company_watch_company on outrider.signal_company_watch (company_id);

alter table outrider.signal_company_watch enable row level security;
alter table outrider.signal_company_watch force row level security;
create policy app_visible on outrider.signal_company_watch to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_company_watch to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_company_watch to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_company_watch to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_company_watch to outrider_app;
grant select, insert, update, delete on outrider.signal_company_watch to outrider_definer;
grant select, insert, update on outrider.signal_company_watch to outrider_executor;
