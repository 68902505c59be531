-- The address in one mail: whoever has it may stop what this workspace sends to the person (RFC 8058, app.unsubscribe). Made with the send; only
-- the hash is kept, for two years, used or not: as long as the mail may be read (app.purge_deleted).
create table outrider.unsubscribe_token (
  -- SHA-256 of the token
  token_hash bytea primary key,
  workspace_id text not null,
  person_id uuid not null,
  account_id text not null,
  -- epoch ms, product time
  created_at bigint not null,
  -- first use; null: none yet
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
