-- Facts about this installation, its one row.
create table outrider.installation (
  only_row boolean primary key default true check (only_row),
  -- its clock ever ran ahead of real time: nothing reaches anybody outside, for good
  rehearsal boolean not null default false,
  restore_epoch bigint not null default 0,
  system_identifier text
);

alter table outrider.installation enable row level security;
alter table outrider.installation force row level security;
create policy app_installation on outrider.installation to outrider_app using (true) with check (true);
create policy definer_all on outrider.installation to outrider_definer using (true) with check (true);
create policy owner_all on outrider.installation to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.installation to outrider_app;
grant select, insert, update, delete on outrider.installation to outrider_definer;

insert into outrider.installation default values;
