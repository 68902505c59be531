-- Returns why the network may not be asked through an account now: its status, its pause (for all or for the lease's
-- workspace), its cool-down, a freeze; null when nothing stands against it. `p_now`: epoch ms, product time.
create or replace function app.look_stop(p_account text, p_now bigint) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select
      case
        when l.account_id is null then 'its account is not linked to the workspace'
        when a.status <> 'ok' then 'its account is ' || a.status
        when a.paused or l.paused then 'its account is paused'
        when coalesce(a.cooldown_until, 0) > p_now then 'its account cools down'
        when exists (
          select 1
          from send_freeze f
          where f.channel in ('', 'network', 'content')
            and (f.until is null or f.until > p_now)
            and (
              f.scope = 'platform'
              or f.scope = 'workspace' and f.target = l.workspace_id
              or f.scope = 'account' and f.target = a.id
            )
        ) then 'a freeze stands'
      end
    from network_account a
    left join account_link l on l.account_id = a.id and l.workspace_id = app.workspace()
    where a.id = p_account
  $$;

alter function app.look_stop(text, bigint) owner to outrider_definer;
revoke execute on function app.look_stop(text, bigint) from public;
grant execute on function app.look_stop(text, bigint) to outrider_executor;
