-- Executors that end one after the other before they come to a call tell nothing of its service either: a call that was ended more often than
-- it was tried had less than one try, and its first failure ended it.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.claim_calls(bigint, jsonb)'::regprocedure);
  after := replace(before, 'tries := c.tries + 1 - least(c.ended, 20);', 'tries := greatest(1, c.tries + 1 - least(c.ended, 20));');
  if after = before then raise exception 'app.claim_calls does not read as expected'; end if;
  execute after;
end $$;
