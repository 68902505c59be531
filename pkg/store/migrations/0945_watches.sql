-- Watches of competitors, topics and searches: what each one looks at, what it has seen, and what it found.

-- What a schedule of the kind competitor_watch or search_watch looks at; its name and times are the schedule's.
create table outrider.watch (
  id uuid primary key references outrider.schedule(id) on delete cascade,
  workspace_id text not null references outrider.workspace(id),
  kind text not null check (kind in ('competitor', 'topic', 'search')),
  cadence text not null check (cadence in ('hourly', 'daily', 'weekly')),
  -- of a competitor: its page on the network, its site, and what is looked for
  profile_url text,
  domain text,
  finding_kinds text[] not null default '{}',
  -- of a topic or a search: its words or the address of a search on the network
  query text,
  search_url text,
  lead_list_id uuid references outrider.lead_list(id),
  -- null: no limit of its own
  monthly_credit_limit int check (monthly_credit_limit >= 0),
  -- it paused itself until then and says why; both empty: it did not (epoch ms, product time, as all times)
  paused_until bigint,
  pause_reason text not null default '',
  -- checks in a row that failed
  faults int not null default 0,
  -- what the last check showed, with which the next compares (pkg/domain/watches/watch-state.ts)
  state jsonb not null default '{}',
  last_checked_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

create index watch_page on outrider.watch (workspace_id, created_at, id);
create index watch_list on outrider.watch (lead_list_id) where lead_list_id is not null;

alter table outrider.watch enable row level security;
alter table outrider.watch force row level security;
create policy app_visible on outrider.watch to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.watch to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.watch to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.watch to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.watch to outrider_app;
grant select, insert, update, delete on outrider.watch to outrider_definer;
grant select, update on outrider.watch to outrider_executor;

-- What a watch has seen, as hashes: a cursor that no edited date and no other order moves.
create table outrider.watch_seen (
  watch_id uuid not null references outrider.watch(id) on delete cascade,
  -- posts, people, or the engagers of a post
  stream text not null,
  item text not null,
  workspace_id text not null,
  last_seen_at bigint not null,
  primary key (watch_id, stream, item)
);

alter table outrider.watch_seen enable row level security;
alter table outrider.watch_seen force row level security;
create policy app_visible on outrider.watch_seen to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.watch_seen to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.watch_seen to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.watch_seen to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.watch_seen to outrider_app;
grant select, insert, update, delete on outrider.watch_seen to outrider_definer;
grant select, insert, update, delete on outrider.watch_seen to outrider_executor;

-- What a watch found, each once.
create table outrider.watch_finding (
  id uuid primary key,
  watch_id uuid not null references outrider.watch(id) on delete cascade,
  workspace_id text not null,
  kind text not null
    check (kind in ('post', 'engager', 'hire', 'funding', 'site_change', 'headcount', 'person')),
  -- what it is the finding of: a hash
  item text not null,
  -- by which the network is asked for a post
  ref text not null default '',
  -- who wrote it, reacted, was hired or matches the search; null: nobody, or a company
  lead_id uuid references outrider.lead(id),
  -- when it happened, and when the check was that found it
  at bigint not null,
  found_at bigint not null,
  title text not null,
  url text not null,
  -- of an engager: reaction, comment
  how text[] not null default '{}',
  -- words of a post about a topic, each once
  terms text[] not null default '{}',
  -- tells the authors of posts apart: a hash
  author text not null default '',
  unique (watch_id, kind, item)
);

create index watch_finding_page on outrider.watch_finding (watch_id, at desc, id desc);
create index watch_finding_new on outrider.watch_finding (watch_id, found_at);
create index watch_finding_lead on outrider.watch_finding (lead_id) where lead_id is not null;

alter table outrider.watch_finding enable row level security;
alter table outrider.watch_finding force row level security;
create policy app_visible on outrider.watch_finding to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.watch_finding to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.watch_finding to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.watch_finding to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.watch_finding to outrider_app;
grant select, insert, update, delete on outrider.watch_finding to outrider_definer;
grant select, insert, update, delete on outrider.watch_finding to outrider_executor;

-- What a watch spent in a month of its workspace's timezone; taken with what it found.
create table outrider.watch_month (
  watch_id uuid not null references outrider.watch(id) on delete cascade,
  -- its first day
  month date not null,
  workspace_id text not null,
  credits int not null default 0 check (credits >= 0),
  primary key (watch_id, month)
);

alter table outrider.watch_month enable row level security;
alter table outrider.watch_month force row level security;
create policy app_visible on outrider.watch_month to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.watch_month to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.watch_month to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.watch_month to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.watch_month to outrider_app;
grant select, insert, update, delete on outrider.watch_month to outrider_definer;
grant select, insert, update on outrider.watch_month to outrider_executor;
