-- Returns the hashes of an address as it is written and of its mailbox, with the host in the letters of DNS and in
-- those that people type, each once, in their order. What was known by an address in other letters before stays known.
create or replace function app.mailbox_hashes(p_mail text) returns text[]
  language sql immutable
  as $$
    select array(
      select distinct app.mail_hash(f)
      from unnest(array[p_mail, app.dns_mail(lower(trim(p_mail))), app.mail_identity(p_mail)]) m
      cross join unnest(array[m, app.typed_mail(m)]) f
      order by 1
    )
  $$;
