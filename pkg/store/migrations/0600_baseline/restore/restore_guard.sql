-- The installation's side of the comparison with what is kept outside the database, its one row. The operator compares at each start of
-- the server and takes the next epoch; a difference stops all sends until `outrider reconcile`.
create table outrider.restore_guard (
  only_row boolean primary key default true check (only_row),
  -- also kept by the keepers outside, which may be one behind and never ahead
  epoch bigint not null default 0,
  -- of the server on which the epoch was last compared, with its timeline; null: never
  system_identifier text,
  timeline int,
  -- start of the server for which epoch, identifier and timeline were compared; null: nobody guards this database (no operator ever ran on it)
  checked_start timestamptz,
  -- what each keeper said at the last disagreement: {keeper: {epoch, systemIdentifier, timeline} or null}, and under `resources`
  -- the resources that are older than their rows
  outside jsonb not null default '{}',
  -- what a reconciliation accepted of it
  accepted jsonb not null default '{}',
  -- product time, epoch ms; null: never
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
