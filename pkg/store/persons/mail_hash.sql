-- Returns a mail address as the identity tables know it: hex of its SHA-256, in lower case and trimmed. The address
-- itself never stands there.
create or replace function app.mail_hash(p_mail text) returns text
  language sql immutable
  as $$ select encode(sha256(convert_to(lower(trim(p_mail)), 'UTF8')), 'hex') $$;

grant execute on function app.mail_hash(text) to outrider_app, outrider_definer, outrider_executor;
