create table outrider.person_alias (
  kind text not null check (kind in ('profile', 'provider', 'mail')),
  value text not null,
  person_id uuid not null references outrider.person(id),
  primary key (kind, value)
);

create index person_alias_person on outrider.person_alias (person_id);

alter table outrider.person_alias enable row level security;
alter table outrider.person_alias force row level security;
create policy definer_all on outrider.person_alias to outrider_definer using (true) with check (true);
create policy owner_all on outrider.person_alias to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.person_alias to outrider_definer;
