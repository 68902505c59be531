-- One per mail: whoever has it may stop this workspace's mails to the person. Only the hash is kept.
create table outrider.unsubscribe_token (
  token_hash bytea primary key,
  workspace_id text not null,
  person_id uuid not null,
  account_id text not null,
  created_at bigint not null,
  used_at bigint
);

alter table outrider.unsubscribe_token enable row level security;
alter table outrider.unsubscribe_token force row level security;
create policy app_visible on outrider.unsubscribe_token to outrider_app
  using ((select app.is_platform()) or (workspace_id = any ((select app.workspaces())::text[])))
  with check ((select app.is_platform()) or (workspace_id = any ((select app.workspaces())::text[])));
create policy definer_all on outrider.unsubscribe_token to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.unsubscribe_token for insert to outrider_executor with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.unsubscribe_token to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.unsubscribe_token to outrider_app;
grant select, insert, update, delete on outrider.unsubscribe_token to outrider_definer;
grant insert on outrider.unsubscribe_token to outrider_executor;
