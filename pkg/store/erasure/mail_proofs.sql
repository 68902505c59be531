-- Returns the identities by which an erased person is recognised at an address: `mail:` and its mailbox
-- (app.mail_identity), and, where the host has other letters in DNS, as people type it: erased persons were kept so
-- before, and a salted hash can't be made anew. Twin: identitiesToAsk of the domain. {null} for null.
create or replace function app.mail_proofs(p_mail text) returns text[]
  language sql immutable
  as $$
    select case
      when m ~ '@.*xn--' is not true then array['mail:' || m]
      else array['mail:' || m, 'mail:' || app.typed_mail(m)]
    end
    from (select app.mail_identity(p_mail) as m) x
  $$;

revoke execute on function app.mail_proofs(text) from public;
grant execute on function app.mail_proofs(text) to outrider_definer;
