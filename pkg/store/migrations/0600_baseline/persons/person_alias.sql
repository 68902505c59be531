-- What proves who a person is. Written by app.resolve_persons and app.complete_leads; moves when two persons are one, stays for good.
create table outrider.person_alias (
  -- profile, mail; nothing writes provider (an id of the network is in relation)
  kind text not null check (kind in ('profile', 'provider', 'mail')),
  -- normalised id of the profile, or the hash of a mail address (app.mail_hash)
  value text not null,
  person_id uuid not null references outrider.person(id),
  primary key (kind, value)
);

-- To move them.
create index person_alias_person on outrider.person_alias (person_id);

alter table outrider.person_alias enable row level security;
alter table outrider.person_alias force row level security;
create policy definer_all on outrider.person_alias to outrider_definer using (true) with check (true);
create policy owner_all on outrider.person_alias to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.person_alias to outrider_definer;
