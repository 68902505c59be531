-- A person is an identity only: no names here. Aliases are normalised profile ids or hashes of mail addresses.
create table outrider.person (
  id uuid primary key,
  merged_into uuid,
  created_at bigint not null
);

create index person_merged on outrider.person (merged_into) where merged_into is not null;

alter table outrider.person enable row level security;
alter table outrider.person force row level security;
create policy definer_all on outrider.person to outrider_definer using (true) with check (true);
create policy owner_all on outrider.person to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.person to outrider_definer;
