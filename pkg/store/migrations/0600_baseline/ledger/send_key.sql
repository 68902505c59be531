-- Send keys: unique for ever. messages 'm:<person>:<workflow>:<node>', requests 'r:<account>:<person>'.
create table outrider.send_key (
  key text primary key,
  person_id uuid not null,
  workspace_id text not null,
  send_id uuid not null,
  taken_at bigint not null
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

create index send_key_person on outrider.send_key (person_id);
-- The claim of a batch finds the keys that it took by their sends; without this it read all keys, every time.
create index send_key_send on outrider.send_key (send_id);

alter table outrider.send_key enable row level security;
alter table outrider.send_key force row level security;
create policy definer_all on outrider.send_key to outrider_definer using (true) with check (true);
create policy owner_all on outrider.send_key to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.send_key to outrider_definer;
