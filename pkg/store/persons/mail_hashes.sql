-- Returns the hashes under which an address is known: as it is written, and as its mailbox. {} for null.
create or replace function app.mail_hashes(p_mail text) returns text[]
  language sql immutable
  as $$
    select case
      when p_mail is null then '{}'
      when app.is_respelt(p_mail) then app.mailbox_hashes(p_mail)
      else array[app.mail_hash(p_mail)]
    end
  $$;
