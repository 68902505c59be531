-- What stops outward actions beyond the state of workflows: the kill switch of platform admins, and what restore safety found. A row is
-- deleted when it is lifted, which wakes who waited; one whose time is over does nothing. Catalog: svc_admin_set_send_freeze.
create table outrider.send_freeze (
  id uuid primary key,
  scope text not null check (scope in ('platform', 'workspace', 'account')),
  -- id of the workspace or account; of the platform a name: restore, or nothing
  target text not null default '',
  -- '': all of them
  channel text not null default '' check (channel in ('', 'network', 'mail', 'content', 'webhook')),
  -- epoch ms, product time; null: until it is lifted
  until bigint,
  reason text not null,
  -- address or key of the admin; outrider: the product itself
  frozen_by text not null,
  since bigint not null,
  unique (scope, target, channel)
);

alter table outrider.send_freeze enable row level security;
alter table outrider.send_freeze force row level security;
create policy app_freeze_read on outrider.send_freeze for select to outrider_app using (true);
create policy app_freeze_write on outrider.send_freeze to outrider_app using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.send_freeze to outrider_definer using (true) with check (true);
create policy executor_freeze_read on outrider.send_freeze for select to outrider_executor
  using (
    scope = 'platform' or (scope = 'workspace' and (target = (select app.workspace())))
    or (scope = 'account' and target in (select app.linked_accounts()))
  );
create policy owner_all on outrider.send_freeze to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.send_freeze to outrider_app;
grant select, insert, update, delete on outrider.send_freeze to outrider_definer;
grant select on outrider.send_freeze to outrider_executor;

create trigger wake_on_release after delete on outrider.send_freeze for each row execute function app.wake_on_release();
