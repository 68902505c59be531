-- A run that was parked (its workflow, campaign or workspace was stopped, or a freeze had no end yet) and is held by nothing but a freeze that
-- ends says until when, and is woken then. Before, it said nothing, and once its executor had gone to sleep nobody looked at it after the end.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  after := replace(before, E'update run r set due_at = p_now\n', E'update run r set due_at = greatest(p_now, (select max(z.until) from send_freeze z where z.channel in ('''', ''network'') and z.until > p_now
            and (z.scope = ''platform'' or (z.scope = ''workspace'' and z.target = ws) or (z.scope = ''account'' and z.target = r.account_id))))\n');
  after := replace(after, 'where z.channel in ('''', ''network'') and (z.until is null or z.until > p_now)', 'where z.channel in ('''', ''network'') and z.until is null');
  if (select count(*) from regexp_matches(after, 'greatest\(p_now, \(select max\(z\.until\)|and z\.until is null\n', 'g')) <> 2
    then raise exception 'app.rest does not read as expected'; end if;
  execute after;
end $$;
