-- A try of a call that ended with its executor says nothing about the service that was asked: it counts no more against the tries
-- of the call, as with sends, unless it is what ends the executors (20 of them). And a call that waits for its next try waits on when
-- another executor takes over: before, each restart tried them all at once, and a few restarts ended what was to be tried for days.
set local search_path = outrider, app, public;

alter table node_call add column ended integer not null default 0, add column retry_at bigint;
comment on column node_call.ended is 'Tries that ended with their executor; part of `tries`.';
comment on column node_call.retry_at is 'When the next try is due, epoch ms product time; null: a try is under way, or over.';

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.settle_calls(bigint, jsonb)'::regprocedure);
  after := replace(before, 'set state = ''claimed'', credit_hold_id = null, error = r.error where',
    'set state = ''claimed'', credit_hold_id = null, error = r.error, retry_at = greatest(p_now + 1, coalesce(r."retryAt", p_now + 60000)) where');
  if after = before then raise exception 'app.settle_calls does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.recover_calls(bigint)'::regprocedure);
  after := replace(before, 'and n.epoch < app.claim_epoch() order by',
    'and n.epoch < app.claim_epoch()
        and not (n.retry_at is not null and exists (select 1 from run x where x.id = n.run_id and x.send_id = n.id and x.ended_at is null)) order by');
  after := replace(after, 'set credit_hold_id = null, epoch = app.claim_epoch(),', 'set credit_hold_id = null, ended = n.ended + 1, epoch = app.claim_epoch(),');
  if (select count(*) from regexp_matches(after, 'retry_at|ended = n', 'g')) <> 2 then raise exception 'app.recover_calls does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.claim_calls(bigint, jsonb)'::regprocedure);
  after := replace(before, 'tries := c.tries + 1;', 'tries := c.tries + 1 - least(c.ended, 20);');
  after := replace(after, 'tries = x.tries + 1, credit_hold_id = null where', 'tries = x.tries + 1, retry_at = null, credit_hold_id = null where');
  if (select count(*) from regexp_matches(after, 'retry_at|c\.ended', 'g')) <> 2 then raise exception 'app.claim_calls does not read as expected'; end if;
  execute after;
end $$;
