-- A restored backup: InMails are compared like messages, each with the nodes of its kind; and accounts that could not be compared for
-- now are passed over, so that many of them keep no other one waiting.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.lacking_traces(text, jsonb)'::regprocedure);
  after := replace(before, 'case p.kind
      when ''message'' then', 'case when p.kind in (''message'', ''inmail'') then');
  if after = before then raise exception 'app.lacking_traces does not read as expected'; end if;
  execute after;
end $$;

drop function app.unguarded_accounts();
create function app.unguarded_accounts(p_except text[]) returns table (id text, provider text, external_id text, since bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog as $$
    select a.id, a.provider, a.external_id, app.last_confirmed(a.id)
    from account_link l join network_account a on a.id = l.account_id cross join restore_guard g
    where l.workspace_id = app.workspace() and g.checked_start = pg_postmaster_start_time() and a.id <> all (p_except)
      and not exists (select 1 from account_guard x where x.account_id = a.id and x.checked_start = g.checked_start)
      and not exists (select 1 from account_guard x where x.account_id = a.id and x.lacking > 0)
    order by 1 limit 100
  $$;
alter function app.unguarded_accounts(text[]) owner to outrider_definer;
revoke all on function app.unguarded_accounts(text[]) from public;
grant execute on function app.unguarded_accounts(text[]) to outrider_executor;
