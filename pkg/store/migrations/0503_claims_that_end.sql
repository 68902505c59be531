-- An executor renews its claim for half a minute; it may have said a hundred years, and nobody who came after it could ever take the
-- workspace: the claim of an executor that is gone ends two minutes after it was renewed, whatever it asked for.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.renew_claim(text, int)'::regprocedure);
  after := replace(before, 'make_interval(secs => p_ttl_seconds)',
    'make_interval(secs => case when session_user = ''outrider_executor'' then least(p_ttl_seconds, 120) else p_ttl_seconds end)');
  if after = before then raise exception 'app.renew_claim does not read as expected'; end if;
  execute after;
end $$;
