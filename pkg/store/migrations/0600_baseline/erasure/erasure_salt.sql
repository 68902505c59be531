-- The salt of all hashes of erased persons (app.erasure_hash): one row, made with the schema and never changed. Whoever can read it can try names;
-- nobody but the functions may.
create table app.erasure_salt (
  only_row boolean primary key default true check (only_row),
  salt bytea not null
);

grant select on app.erasure_salt to outrider_definer;

insert into app.erasure_salt (salt) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
