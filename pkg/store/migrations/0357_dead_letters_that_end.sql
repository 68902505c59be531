-- A dead letter whose outcome was found out after all is no open one: before, it stood in the list and in the alert for ever. One that
-- a person discards is not looked up any more, and what a person asks for is looked up as often as the first time.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'evidence = s.evidence || coalesce(q.evidence, ''[]'')',
    'evidence = s.evidence || coalesce(q.evidence, ''[]''),
          dead_letter_state = case when s.dead_letter_state = ''open'' and (q.result <> ''unknown'' or q.maybe) then ''resolved'' else s.dead_letter_state end');
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.resolve_send(uuid, text, bigint, text, text)'::regprocedure);
  after := replace(before, 'set lookup_after = clock_timestamp(), dead_letter_state = ''open'' where', 'set lookup_after = clock_timestamp(), lookups = 0, not_found = 0, dead_letter_state = ''open'' where');
  after := replace(after, 'set dead_letter_state = ''discarded'' where', 'set dead_letter_state = ''discarded'', lookup_after = null where');
  if (select count(*) from regexp_matches(after, 'lookups = 0|lookup_after = null', 'g')) <> 2 then raise exception 'app.resolve_send does not read as expected'; end if;
  execute after;
end $$;

update send set dead_letter_state = 'resolved' where dead_letter_state = 'open' and (state in ('confirmed', 'failed') or maybe);
update send set lookup_after = null where dead_letter_state = 'discarded' and lookup_after is not null;
