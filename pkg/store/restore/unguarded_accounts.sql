-- Returns accounts of the lease's workspace that were not compared since this server started and lack nothing so far,
-- 100 at most, but for p_except (not null; those that rest after a failure). since: when the last confirmed send left
-- (product time, epoch ms), from where to look. Nothing while nobody guards the database or its own comparison is
-- still to come.
create or replace function app.unguarded_accounts(p_except text[])
  returns table (id text, provider text, external_id text, since bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select a.id, a.provider, a.external_id, app.last_confirmed(a.id)
    from account_link l
    join network_account a on a.id = l.account_id
    cross join restore_guard g
    where l.workspace_id = app.workspace()
      and g.checked_start = pg_postmaster_start_time()
      and a.id <> all (p_except)
      and not exists (
        select 1
        from account_guard x
        where x.account_id = a.id and x.checked_start = g.checked_start
      )
      and not exists (select 1 from account_guard x where x.account_id = a.id and x.lacking > 0)
    order by 1 limit 100
  $$;

alter function app.unguarded_accounts(text[]) owner to outrider_definer;
revoke execute on function app.unguarded_accounts(text[]) from public;
grant execute on function app.unguarded_accounts(text[]) to outrider_executor;
