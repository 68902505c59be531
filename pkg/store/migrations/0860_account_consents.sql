-- Workspaces to which the owner of an account, the workspace that linked it first, lets the platform link it too.
create table outrider.account_consent (
  account_id text not null references outrider.network_account(id),
  -- who is let in
  workspace_id text not null,
  -- who let them in; worth nothing once another workspace owns the account
  given_by text not null,
  -- epoch ms, product time
  given_at bigint not null,
  primary key (account_id, given_by, workspace_id)
);

alter table outrider.account_consent enable row level security;
alter table outrider.account_consent force row level security;
create policy app_visible on outrider.account_consent to outrider_app
  using (given_by = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (given_by = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.account_consent to outrider_definer using (true) with check (true);
create policy owner_all on outrider.account_consent to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.account_consent to outrider_app;
grant select, insert, delete on outrider.account_consent to outrider_definer;
