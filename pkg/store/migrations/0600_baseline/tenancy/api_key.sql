-- A key of a workspace or a user; kept for good, a revoked one opens nothing. Only the SHA-256 of a key is kept. Tools and the home's
-- start make them. Times are product time, epoch ms.
create table outrider.api_key (
  id uuid primary key,
  key_hash bytea not null unique,
  key_type text not null check (key_type in ('workspace', 'user')),
  -- of a workspace key; null: a user's
  workspace_id text references outrider.workspace(id),
  user_id uuid references outrider.app_user(id),
  name text not null,
  -- its first characters, for people to know it by
  key_prefix text not null,
  -- `domain:action`, an explicit list (specification: authentication)
  scopes text[] not null,
  -- rises on every change that decides what the key may do, so that caches notice at the next call
  generation bigint not null default 1,
  -- the user; null: no user did
  created_by uuid,
  created_at bigint not null,
  -- within a minute; null: never
  last_used_at bigint,
  -- null: it is valid
  revoked_at bigint,
  -- A user key that was handed out for an accepted invitation opens the workspaces whose invitations it accepted, never
  -- more: the inviter may have read the link. null: every workspace of its user.
  only_workspaces text[],
  constraint api_key_check check ((key_type = 'workspace') = (workspace_id is not null))
);

create index api_key_user on outrider.api_key (user_id) where revoked_at is null;
create index api_key_workspace on outrider.api_key (workspace_id) where revoked_at is null;

alter table outrider.api_key enable row level security;
alter table outrider.api_key force row level security;
create policy app_own_keys on outrider.api_key to outrider_app using (workspace_id is null) with check (workspace_id is null);
create policy app_visible on outrider.api_key to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.api_key to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.api_key to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.api_key to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.api_key to outrider_app;
grant select, insert, update, delete on outrider.api_key to outrider_definer;

create trigger api_key_announced after update on outrider.api_key
  for each row when (old.generation is distinct from new.generation) execute function app.announce_generation();
create trigger api_key_generation before update on outrider.api_key
  for each row when (old.revoked_at is distinct from new.revoked_at or old.scopes is distinct from new.scopes)
  execute function app.raise_own_generation();
