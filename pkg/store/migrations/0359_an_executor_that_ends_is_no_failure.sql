-- A try of a call that ended with its executor says nothing about the service that was asked: it counts no more against the tries
-- of the call, as with sends, unless it is what ends the executors (20 of them).
set local search_path = outrider, app, public;

alter table node_call add column ended integer not null default 0;
comment on column node_call.ended is 'Tries that ended with their executor; part of `tries`.';

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.recover_calls(bigint)'::regprocedure);
  after := replace(before, 'set credit_hold_id = null, epoch = app.claim_epoch(),', 'set credit_hold_id = null, ended = n.ended + 1, epoch = app.claim_epoch(),');
  if after = before then raise exception 'app.recover_calls does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.claim_calls(bigint, jsonb)'::regprocedure);
  after := replace(before, 'tries := c.tries + 1;', 'tries := c.tries + 1 - least(c.ended, 20);');
  if after = before then raise exception 'app.claim_calls does not read as expected'; end if;
  execute after;
end $$;
