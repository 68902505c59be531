-- Who found no account that may act is woken by one that may again: before, their run said for up to an hour that it is unhealthy. Only the
-- workspaces of the account are looked through.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.wake_on_release()'::regprocedure);
  after := replace(before, 'where account_id = new.id and wait_reason = ''account_unhealthy''',
    'where workspace_id in (select l.workspace_id from account_link l where l.account_id = new.id) and (account_id = new.id or account_id is null)
            and wait_reason = ''account_unhealthy''');
  if after = before then raise exception 'app.wake_on_release does not read as expected'; end if;
  execute after;
end $$;
