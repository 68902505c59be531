-- Returns the hashes (app.mail_hashes) of the addresses at which a mailbox wrote, or is about to write, to a person:
-- what a mailbox shares between agencies is known by the addresses that it met, never by what somebody pairs with
-- them. It asks for no right: only functions that have asked call it.
create or replace function app.written_hashes(p_account text, p_person uuid) returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select distinct m.value
    from send_key k
    join send s on s.id = k.send_id
    cross join lateral unnest(app.mail_hashes(s.target ->> 'to')) as m (value)
    where k.person_id = p_person and s.account_id = p_account and s.action = 'mail'
  $$;

alter function app.written_hashes(text, uuid) owner to outrider_definer;
revoke execute on function app.written_hashes(text, uuid) from public;
