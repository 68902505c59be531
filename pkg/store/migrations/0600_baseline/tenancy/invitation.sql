-- An invitation to a workspace; its content goes with the workspace. Only a hash of the token is kept. Times are product time, epoch ms.
create table outrider.invitation (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  -- whom it is for; one open invitation for each in a workspace
  email text not null,
  role text not null check (role in ('admin', 'member', 'reviewer')),
  -- SHA-256
  token_hash bytea not null unique,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  -- null: open, or revoked
  accepted_at bigint,
  revoked_at bigint
);

create unique index invitation_open on outrider.invitation (workspace_id, lower(email)) where accepted_at is null and revoked_at is null;
create index invitation_workspace on outrider.invitation (workspace_id, created_at desc, id);

alter table outrider.invitation enable row level security;
alter table outrider.invitation force row level security;
create policy app_visible on outrider.invitation to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.invitation to outrider_definer using (true) with check (true);
create policy owner_all on outrider.invitation to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.invitation to outrider_app;
grant select, insert, update, delete on outrider.invitation to outrider_definer;
