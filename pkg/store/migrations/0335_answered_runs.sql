-- An executor goes on with the runs of the sends that it settles by itself: such a settlement leaves its run alone, instead of making
-- it due for a claim a moment later.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, 'target jsonb, "retryAt" bigint, tries int)', 'target jsonb, "retryAt" bigint, tries int, held boolean)');
  after := replace(after, 'q."retryAt", q.tries', 'q."retryAt", q.tries, q.held');
  after := replace(after, 'from u where r.id = u.run_id and r.send_id = u.id', 'from u where not (u.state = ''confirmed'' and coalesce(u.held, false)) and r.id = u.run_id and r.send_id = u.id');
  if (select count(*) from regexp_matches(after, 'held', 'g')) <> 3 then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;
  -- What an executor had settled and not gone on with when it ended. Such runs come due within a minute of their claim.
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := regexp_replace(before, '  end( *\$function\$)', $new$    update run r set due_at = p_now from agenda a, send s
      where a.workspace_id = ws and a.due_at > p_now and a.due_at <= p_now + 60000 and r.id = a.run_id and r.ended_at is null and r.state <> 'paused'
        and s.id = r.send_id and s.settled_at is not null;
  end\1$new$);
  if after = before then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;
end $$;
