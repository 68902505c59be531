-- An executor says the time itself: with one of another month it granted its workspace the credits of any month, past or to come.
-- Where product time is real time it brings those of the month by the database's clock. A rehearsal, whose clock runs ahead, reaches
-- the sandbox only.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.grant_monthly_credits(text, bigint)'::regprocedure);
  after := replace(before, 'to_char(to_timestamp(p_now / 1000.0) at time zone',
    'to_char(case when session_user = ''outrider_executor'' and not exists (select 1 from installation i where i.rehearsal)
      then clock_timestamp() else to_timestamp(p_now / 1000.0) end at time zone');
  if after = before then raise exception 'app.grant_monthly_credits does not read as expected'; end if;
  execute after;
end $$;
