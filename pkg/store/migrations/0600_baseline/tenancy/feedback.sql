-- What people tell the service team (svc_submit_feedback); kept for good.
create table outrider.feedback (
  id uuid primary key,
  workspace_id text not null references outrider.workspace(id),
  category text not null check (category in ('bug', 'feature_request', 'other')),
  severity text not null check (severity in ('low', 'medium', 'high')),
  tool_name text,
  message text not null,
  -- who called
  given_by text not null,
  -- of the call
  request_id text not null,
  -- product time, epoch ms
  created_at bigint not null
);

create index feedback_workspace on outrider.feedback (workspace_id, created_at desc);

alter table outrider.feedback enable row level security;
alter table outrider.feedback force row level security;
create policy app_visible on outrider.feedback to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.feedback to outrider_definer using (true) with check (true);
create policy owner_all on outrider.feedback to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.feedback to outrider_app;
grant select, insert, delete on outrider.feedback to outrider_definer;
