-- Returns the hashes of an address as it is written and of its mailbox, each once, in their order.
create or replace function app.mailbox_hashes(p_mail text) returns text[]
  language sql immutable
  as $$
    select array(
      select distinct app.mail_hash(m)
      from unnest(array[p_mail, app.mail_identity(p_mail)]) m
      order by 1
    )
  $$;
