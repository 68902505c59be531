-- The installation's side of the comparison. checked_start null: nobody guards this database (no operator ever ran on it).
create table outrider.restore_guard (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null default 0,
  system_identifier text,
  timeline int,
  -- start of the server for which epoch, identifier and timeline were compared
  checked_start timestamptz,
  -- what each outside keeper said at the last disagreement, by keeper
  outside jsonb not null default '{}',
  -- what a reconciliation accepted of it
  accepted jsonb not null default '{}',
  reconciled_at bigint
);

alter table outrider.restore_guard enable row level security;
alter table outrider.restore_guard force row level security;
create policy app_platform on outrider.restore_guard to outrider_app using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.restore_guard to outrider_definer using (true) with check (true);
create policy owner_all on outrider.restore_guard to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.restore_guard to outrider_app;
grant select, insert, update, delete on outrider.restore_guard to outrider_definer;

insert into outrider.restore_guard default values;
