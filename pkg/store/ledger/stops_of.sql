-- Returns why nothing of these may go out now, for parallel arrays of campaigns, workflows and accounts: send_freeze,
-- account_unhealthy, or null. An account that was not compared since this start of Postgres is asked again after 5 s
-- (restore safety); a freeze of mail alone after a quarter of an hour, since a parked run does not say that it waits
-- for a mailbox.
-- `until`: epoch ms when the stop ends by itself or is worth another look, null when nobody knows. `p_now`: epoch ms
-- UTC, product time. The caller has checked that `p_workspace` is its own.
create or replace function app.stops_of(
  p_workspace text, p_campaigns text[], p_workflows text[], p_accounts text[], p_now bigint
)
  returns table (campaign_id text, workflow_id text, account_id text, reason text, until bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with d as materialized (
      select *
      from unnest(p_campaigns, p_workflows, p_accounts) as d (campaign_id, workflow_id, account_id)
    ),
    flows as materialized (
      select g.*, app.flow_stop(p_workspace, g.campaign_id, g.workflow_id) as stop
      from (select distinct d.campaign_id, d.workflow_id from d) g
    ),
    guard as materialized (
      select
        g.checked_start is null as needless,
        g.checked_start = pg_postmaster_start_time() as current,
        exists (select 1 from installation i where i.rehearsal) as rehearsal
      from restore_guard g
    ),
    checked as materialized (
      select k.account_id
      from account_guard k
      where not (select g.needless from guard g)
        and k.account_id = any (p_accounts)
        and k.checked_start = pg_postmaster_start_time()
    ),
    freezes as materialized (
      select s.scope, s.target, s.channel, s.until
      from send_freeze s
      where (
          s.scope = 'platform'
          or (s.scope = 'workspace' and s.target = p_workspace)
          or (s.scope = 'account' and s.target = any (p_accounts))
        )
        and (s.until is null or s.until > p_now)
    ),
    x as (
      select
        d.campaign_id,
        d.workflow_id,
        d.account_id,
        f.stop,
        a.status,
        a.paused or coalesce(l.paused, false) as paused,
        a.cooldown_until,
        l.account_id is not null as linked,
        g.needless or (g.current and k.account_id is not null) as guarded,
        g.rehearsal and a.provider <> 'sandbox' as rehearsed,
        coalesce(a.kind, 'network') as kind
      from d
      join flows f on f.campaign_id = d.campaign_id and f.workflow_id = d.workflow_id
      cross join guard g
      left join checked k on k.account_id = d.account_id
      left join network_account a on a.id = d.account_id
      left join account_link l on l.account_id = d.account_id and l.workspace_id = p_workspace
    )
    select
      x.campaign_id,
      x.workflow_id,
      x.account_id,
      case
        when x.stop is not null then x.stop
        when z.frozen or not x.guarded then 'send_freeze'
        when x.rehearsed
          or x.status <> 'ok'
          or x.paused
          or coalesce(x.cooldown_until, 0) > p_now
          or not x.linked
          then 'account_unhealthy'
      end,
      case
        when x.stop is not null then null
        when z.frozen then coalesce(
          z.until,
          case when z.channel = 'mail' or z.scope = 'account' and x.kind = 'mail' then p_now + 900000 end
        )
        when not x.guarded then p_now + 5000
        when not coalesce(x.rehearsed, false) and x.status = 'ok' and not x.paused and x.cooldown_until > p_now
          then x.cooldown_until
      end
    from x
    left join lateral (
      select true as frozen, s.until, s.channel, s.scope
      from freezes s
      where (s.scope <> 'account' or s.target = x.account_id) and s.channel in ('', x.kind)
      order by s.until desc nulls first, s.channel limit 1
    ) z on true
  $$;

alter function app.stops_of(text, text[], text[], text[], bigint) owner to outrider_definer;
revoke execute on function app.stops_of(text, text[], text[], text[], bigint) from public;
