-- Send keys, unique for ever: what was done to a person once is not done again (catalog: sendOnceKey). Per step 'm:<person>:<workflow>:<node>',
-- requests to connect 'r:<account>:<person>'. Taken with a send, given back only when it is proven not to have happened; outlives everything.
create table outrider.send_key (
  key text primary key,
  person_id uuid not null,
  workspace_id text not null,
  send_id uuid not null,
  taken_at bigint not null
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000);

-- Keys of a person who turns out to be another one.
create index send_key_person on outrider.send_key (person_id);
-- The keys that a batch took, or gives back, by their sends.
create index send_key_send on outrider.send_key (send_id);

alter table outrider.send_key enable row level security;
alter table outrider.send_key force row level security;
create policy definer_all on outrider.send_key to outrider_definer using (true) with check (true);
create policy owner_all on outrider.send_key to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.send_key to outrider_definer;
