-- Content: posts of a workspace, their media, what happened to them and how they are read; and how the workspace
-- speaks.

-- A post, from its draft until it is online.
create table outrider.content_post (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  -- null: of none
  campaign_id text,
  account_id text not null,
  state text not null check (state in ('draft', 'review', 'scheduled', 'published')),
  text text not null,
  -- null: none
  first_comment text,
  -- when it is to go out (epoch ms, product time, as all times here): a wish until it is scheduled
  scheduled_at bigint,
  -- the wall clock that was meant (YYYY-MM-DDTHH:MM); null: an instant was given, which never moves
  local_at text,
  -- zone of that wall clock; null: that of the account
  timezone text,
  -- an edit of what others will see makes the next one
  version int not null default 1,
  approved boolean not null default false,
  -- what was approved: version and hashes of the media
  approved_version int,
  approved_media text[],
  submitted_at bigint,
  decided_at bigint,
  -- who decided (address or key), and the user who counts as having done so
  decided_by text,
  decided_by_user uuid,
  -- comment of the approval, or why it was rejected
  reason text,
  -- members who were asked
  reviewers uuid[] not null default '{}',
  -- users who wrote what stands there
  authors uuid[] not null default '{}',
  -- {code, message, attempts, at, outcomeKnown, part}
  failure jsonb,
  -- actions that publish the parts; the keys of the ledger are those of the post
  action_id uuid,
  comment_action_id uuid,
  -- what the network calls it, and where it is
  social_id text,
  external_url text,
  published_at bigint,
  verified_at bigint,
  comment_published_at bigint,
  -- address or key of who made it
  made_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  check ((state = 'published') = (published_at is not null))
);

create index content_post_newest on outrider.content_post (workspace_id, created_at desc, id desc);
create index content_post_times on outrider.content_post (workspace_id, scheduled_at) where scheduled_at is not null;
create index content_post_published on outrider.content_post (workspace_id, published_at)
  where published_at is not null;
create index content_post_failed on outrider.content_post (workspace_id) where failure is not null;
create index content_post_account on outrider.content_post (account_id, scheduled_at);
create index content_post_clocks on outrider.content_post (id)
  where state = 'scheduled' and local_at is not null;

alter table outrider.content_post enable row level security;
alter table outrider.content_post force row level security;
create policy app_visible on outrider.content_post to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_post to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_post to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_post to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_post to outrider_app;
grant select, insert, update, delete on outrider.content_post to outrider_definer;
grant select, update on outrider.content_post to outrider_executor;

-- Pictures and videos of a post. What is published are the bytes that were fetched, whatever is at the address
-- later.
create table outrider.content_medium (
  id uuid primary key,
  workspace_id text not null,
  post_id uuid not null references outrider.content_post(id) on delete cascade,
  place int not null,
  url text not null,
  alt text not null default '',
  -- waiting: its bytes are still to be fetched
  state text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
  -- by its first bytes, never by what its server says
  mime text,
  bytes bigint,
  sha256 text,
  width int,
  height int,
  -- why it could not be used
  error text,
  fetched_at bigint,
  unique (post_id, place)
);

alter table outrider.content_medium enable row level security;
alter table outrider.content_medium force row level security;
create policy app_visible on outrider.content_medium to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_medium to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_medium to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_medium to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_medium to outrider_app;
grant select, insert, update, delete on outrider.content_medium to outrider_definer;
grant select on outrider.content_medium to outrider_executor;

-- The bytes of a medium, a megabyte each.
create table outrider.content_chunk (
  medium_id uuid not null references outrider.content_medium(id) on delete cascade,
  workspace_id text not null,
  place int not null,
  data bytea not null check (octet_length(data) <= 1048576),
  primary key (medium_id, place)
);

alter table outrider.content_chunk enable row level security;
alter table outrider.content_chunk force row level security;
create policy app_visible on outrider.content_chunk to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_chunk to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_chunk to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_chunk to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_chunk to outrider_app;
grant select, insert, update, delete on outrider.content_chunk to outrider_definer;
grant select on outrider.content_chunk to outrider_executor;

-- The history of a post, for people.
create table outrider.content_mark (
  id bigint generated always as identity primary key,
  workspace_id text not null,
  post_id uuid not null references outrider.content_post(id) on delete cascade,
  at bigint not null,
  -- created, edited, submitted, approved, rejected, scheduled, published …
  kind text not null,
  actor text not null,
  text text not null default '',
  data jsonb not null default '{}'
);

create index content_mark_post on outrider.content_mark (post_id, id);

alter table outrider.content_mark enable row level security;
alter table outrider.content_mark force row level security;
create policy app_visible on outrider.content_mark to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_mark to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_mark to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_mark to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_mark to outrider_app;
grant select, insert, update, delete on outrider.content_mark to outrider_definer;
grant select, insert on outrider.content_mark to outrider_executor;

-- Totals that the network showed of a post at a time.
create table outrider.content_sample (
  post_id uuid not null references outrider.content_post(id) on delete cascade,
  workspace_id text not null,
  at bigint not null,
  impressions bigint,
  reactions bigint,
  comments bigint,
  reposts bigint,
  primary key (post_id, at)
);

alter table outrider.content_sample enable row level security;
alter table outrider.content_sample force row level security;
create policy app_visible on outrider.content_sample to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_sample to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_sample to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_sample to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_sample to outrider_app;
grant select, insert, update, delete on outrider.content_sample to outrider_definer;
grant select, insert, update on outrider.content_sample to outrider_executor;

-- Who commented on a post or reacted to it, by the id under which the account knows them.
create table outrider.content_engager (
  post_id uuid not null references outrider.content_post(id) on delete cascade,
  workspace_id text not null,
  -- the person's id for the account
  provider_id text not null,
  seen_at bigint not null,
  primary key (post_id, provider_id)
);

alter table outrider.content_engager enable row level security;
alter table outrider.content_engager force row level security;
create policy app_visible on outrider.content_engager to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.content_engager to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.content_engager to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.content_engager to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.content_engager to outrider_app;
grant select, insert, update, delete on outrider.content_engager to outrider_definer;
grant select, insert on outrider.content_engager to outrider_executor;

-- How a workspace speaks, for texts that are public.
create table outrider.brand_voice (
  workspace_id text primary key references outrider.workspace(id),
  brand_name text not null default '',
  tagline text not null default '',
  description text not null default '',
  audience text not null default '',
  website text not null default '',
  tone_words text[] not null default '{}',
  dos text[] not null default '{}',
  donts text[] not null default '{}',
  banned_phrases text[] not null default '{}',
  examples text[] not null default '{}',
  updated_at bigint not null
);

alter table outrider.brand_voice enable row level security;
alter table outrider.brand_voice force row level security;
create policy app_visible on outrider.brand_voice to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.brand_voice to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.brand_voice to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.brand_voice to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.brand_voice to outrider_app;
grant select, insert, update, delete on outrider.brand_voice to outrider_definer;
grant select on outrider.brand_voice to outrider_executor;

-- A post is for nobody in particular: its actions and sends have neither lead nor person, but the post that they are
-- of.
alter table outrider.action alter column lead_id drop not null;
alter table outrider.action alter column person_id drop not null;
alter table outrider.action add column content_post_id uuid;
alter table outrider.send alter column lead_id drop not null;
alter table outrider.send alter column person_id drop not null;
alter table outrider.send_key alter column person_id drop not null;
alter table outrider.action add constraint action_for_one
  check (num_nonnulls(person_id, content_post_id) = 1 and (lead_id is null) = (person_id is null)) not valid;
create index action_content on outrider.action (content_post_id) where content_post_id is not null;

-- What becomes of the actions of a post becomes of the post (pkg/store/content/follow_content.sql).
create or replace function app.follow_content() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger content_followed after update of state, send_id, wait_reason on outrider.action
  for each row when (new.content_post_id is not null) execute function app.follow_content();
