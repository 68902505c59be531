-- Returns the account for which this transaction acts as account sync: the key of its proven lease of kind `account`;
-- null without one.
create or replace function app.account() returns text
  language sql stable
  as $$ select app.proven_key('account') $$;

alter function app.account() owner to outrider_definer;
revoke execute on function app.account() from public;
grant execute on function app.account() to outrider_app, outrider_executor;
