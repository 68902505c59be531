-- Says whether an address may be another spelling of its mailbox (app.mail_identity). Most are none, and need one
-- hash.
create or replace function app.is_respelt(p_mail text) returns boolean
  language sql immutable
  as $$ select p_mail ~* '[+]|@g(oogle)?mail[.]com|@.*xn--|[^\x01-\x7f]' $$;
