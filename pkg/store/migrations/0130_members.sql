-- Roles of members beside the owner, and invitations: who is invited proves it by a one-time token, of which only the
-- hash is kept.
set local search_path = outrider, app, public;

alter table outrider.member drop constraint member_role_check;
alter table outrider.member add constraint member_role_check check (role in ('owner', 'admin', 'member', 'reviewer'));

-- A user key that was handed out for an accepted invitation opens the workspaces whose invitations it accepted, never
-- more: the inviter may have read the link. null: every workspace of its user.
alter table outrider.api_key add column only_workspaces text[];

create table outrider.invitation (
  id uuid primary key,
  workspace_id text not null references outrider.workspace (id),
  email text not null,
  role text not null check (role in ('admin', 'member', 'reviewer')),
  token_hash bytea not null unique,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  accepted_at bigint,
  revoked_at bigint
);
create unique index invitation_open on outrider.invitation (workspace_id, lower(email)) where accepted_at is null and revoked_at is null;
create index invitation_workspace on outrider.invitation (workspace_id, created_at desc, id);
alter table outrider.invitation enable row level security;
alter table outrider.invitation force row level security;
create policy owner_all on outrider.invitation to outrider_owner using (true) with check (true);
create policy definer_all on outrider.invitation to outrider_definer using (true) with check (true);
create policy app_visible on outrider.invitation to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
grant select, insert, update, delete on outrider.invitation to outrider_app, outrider_definer;

-- What people tell the service team.
create table outrider.feedback (
  id uuid primary key,
  workspace_id text not null references outrider.workspace (id),
  category text not null check (category in ('bug', 'feature_request', 'other')),
  severity text not null check (severity in ('low', 'medium', 'high')),
  tool_name text,
  message text not null,
  given_by text not null,
  request_id text not null,
  created_at bigint not null
);
create index feedback_workspace on outrider.feedback (workspace_id, created_at desc);
alter table outrider.feedback enable row level security;
alter table outrider.feedback force row level security;
create policy owner_all on outrider.feedback to outrider_owner using (true) with check (true);
create policy definer_all on outrider.feedback to outrider_definer using (true) with check (true);
create policy app_visible on outrider.feedback to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
grant select, insert, delete on outrider.feedback to outrider_app, outrider_definer;
