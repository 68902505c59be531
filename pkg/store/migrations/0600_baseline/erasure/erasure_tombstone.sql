-- An identity of an erased person: it blocks that somebody brings the person back into the workspace. Written by app.leave_tombstones; stays for
-- good. Source: catalog svc_erase_lead.
create table outrider.erasure_tombstone (
  workspace_id text not null,
  -- app.erasure_hash
  hash bytea not null,
  -- data_subject_request, client_request, retention
  reason text not null,
  -- epoch ms UTC, product time
  erased_at bigint not null,
  primary key (workspace_id, hash)
);

alter table outrider.erasure_tombstone enable row level security;
alter table outrider.erasure_tombstone force row level security;
create policy app_visible on outrider.erasure_tombstone for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.erasure_tombstone to outrider_definer using (true) with check (true);
create policy owner_all on outrider.erasure_tombstone to outrider_owner using (true) with check (true);
grant select on outrider.erasure_tombstone to outrider_app;
grant select, insert, delete on outrider.erasure_tombstone to outrider_definer;
