-- Whether a mailbox wrote, or is about to write, to a person at an address: what a mailbox shares between agencies is
-- known by the addresses that it met, never by what somebody pairs with them. p_hash: as app.mail_hashes. It asks for
-- no right: only functions that have asked call it.
create or replace function app.wrote_to(p_account text, p_person uuid, p_hash text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select exists (
      select 1
      from send_key k
      join send s on s.id = k.send_id
      where k.person_id = p_person
        and s.account_id = p_account
        and s.action = 'mail'
        and p_hash = any (app.mail_hashes(s.target ->> 'to'))
    )
  $$;

alter function app.wrote_to(text, uuid, text) owner to outrider_definer;
revoke execute on function app.wrote_to(text, uuid, text) from public;
