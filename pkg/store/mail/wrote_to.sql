-- Whether a mailbox wrote, or is about to write, to a person at an address (app.written_hashes). p_hash: as
-- app.mail_hashes. It asks for no right: only functions that have asked call it.
create or replace function app.wrote_to(p_account text, p_person uuid, p_hash text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$ select p_hash in (select h from app.written_hashes(p_account, p_person) h) $$;

alter function app.wrote_to(text, uuid, text) owner to outrider_definer;
revoke execute on function app.wrote_to(text, uuid, text) from public;
