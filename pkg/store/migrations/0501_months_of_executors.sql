-- An executor opens the months in which it writes history. It may have opened any: with some thousand of them, each a table under a lock
-- that all writers of history wait for, nobody's history could be planned any more. Where product time is real time these are the months
-- around today; a rehearsal, whose clock runs ahead, reaches the sandbox only. Nobody opens one without a claim.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.open_event_month(bigint)'::regprocedure);
  after := regexp_replace(before, '\mbegin\s+if to_regclass\(', 'begin
    if session_user = ''outrider_executor'' and (coalesce(app.workspace(), app.account()) is null
        or (abs(p_at / 1000.0 - extract(epoch from clock_timestamp())) > 40 * 86400 and not exists (select 1 from installation i where i.rehearsal))) then
      return false;
    end if;
    if to_regclass(');
  if after = before then raise exception 'app.open_event_month does not read as expected'; end if;
  execute after;
end $$;
