-- A repeated call is answered byte for byte as the first one: json keeps the order of fields, jsonb does not.
set local search_path = outrider, app, public;

alter table outrider.idempotency alter column result type json using result::json;
alter table outrider.intent alter column result type json using result::json;
