-- A mail address never stands in the identity tables, only its hash.
create or replace function app.mail_hash(p_mail text) returns text
  language sql immutable
  as $$ select encode(sha256(convert_to(lower(trim(p_mail)), 'UTF8')), 'hex') $$;
grant execute on function app.mail_hash(text) to outrider_app, outrider_definer, outrider_executor;
