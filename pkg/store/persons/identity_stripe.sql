-- Returns the number of the advisory lock of an identity (a profile id or a mail hash, p_value) among the persons of
-- p_scope. An identity shares it with others: there are 64 per scope, so that a transaction of any size holds few of
-- the server's locks, of which it has some thousands for everybody (max_locks_per_transaction).
create or replace function app.identity_stripe(p_scope text, p_value text) returns bigint
  language sql immutable
  as $$
    select hashtextextended('person:' || p_scope || ':' || (hashtextextended(p_value, 0) & 63)::text, 0)
  $$;
