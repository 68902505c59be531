-- A try that failed and comes again is told: the run says that its account (or the provider behind it) is why it waits, until when,
-- and its history has a line with the reason. p_results takes `tries`: tries that failed, with this one.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after text;
begin
  after := replace(before, $old$wait_reason = case when u.state = 'unknown' and not u.maybe then 'unknown_outcome' else r.wait_reason end,$old$,
    $new$wait_reason = case when u.state = 'unknown' and not u.maybe then 'unknown_outcome' when u.tries is not null then 'account_unhealthy' else r.wait_reason end,$new$);
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  before := after;
  after := replace(before, $old$target jsonb, "retryAt" bigint)$old$, $new$target jsonb, "retryAt" bigint, tries int)$new$);
  after := replace(after, $old$as provider_id, q."retryAt"$old$, $new$as provider_id, q."retryAt", q.tries$new$);
  if (select count(*) from regexp_matches(after, 'tries', 'g')) <> 3 then raise exception 'app.settle_sends does not read as expected'; end if;
  before := after;
  after := replace(before, $old$if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;$old$,
    $new$if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;
    if failed is not null then
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        select ws, s.run_id, p_now, 'run.blocked', s.node_id, 'engine', '', jsonb_build_object('reason', 'account_unhealthy', 'error', s.error, 'tries', q.tries, 'sendId', s.id)
        from jsonb_to_recordset(p_results) as q ("sendId" uuid, tries int) join send s on s.id = q."sendId"
        where q.tries is not null and s.id = any (failed);
    end if;$new$);
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;
end $$;
