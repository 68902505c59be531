-- Commits that the requests of these actions are about to be written, as app.dispatch_sends does those of runs: it
-- looks once more at the action, its key, exclusions, freezes and epoch, and cancels what it refuses: units and key are
-- back, and the action asks again, or ends where that is of no use.
-- `p_now`: epoch ms UTC, product time. Returns a row for each send of an action of the lease's workspace. OU001: the
-- lease is stale. Locks: actions by id, the sends, then account_pacing and budgets of refused ones, network_account.
create or replace function app.dispatch_actions(p_now bigint, p_sends uuid[])
  returns table (send_id uuid, dispatched boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    ids uuid[];
    whys text[];
    untils bigint[];
    refused uuid[];
    contacts uuid[];
    accounts text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1
    from action
    where id in (select s.action_id from send s where s.id = any (p_sends) and (s.workspace_id = ws) is true)
    order by id for no key update;
    select
      array_agg(j.id),
      array_agg(j.why),
      array_agg(j.until),
      array_agg(j.id) filter (where j.why is not null and j.state = 'claimed'),
      array_agg(j.id) filter (where j.why is null and app.is_contact(j.action)),
      array_agg(distinct j.account_id) filter (where j.why is null and not app.is_contact(j.action))
    into ids, whys, untils, refused, contacts, accounts
    from (
      with s as materialized (
        select x.*
        from send x
        where x.id = any (p_sends) and (x.workspace_id = ws) is true and x.action_id is not null
        for update of x
      ),
      stops as materialized (
        select t.*
        from (
          select
            array_agg(d.campaign_id) as campaigns,
            array_agg(''::text) as workflows,
            array_agg(d.account_id) as accounts
          from (select distinct coalesce(s.campaign_id, '') as campaign_id, s.account_id from s) d
        ) k
        cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t
      ),
      frozen as materialized (
        select f.account_id, f.until
        from app.content_stop(
          ws, array(select distinct s.account_id from s where s.person_id is null), p_now
        ) f
      ),
      barred as materialized (
        select b.lead_id, g.campaign_id
        from (select s.campaign_id, array_agg(s.lead_id) as leads from s group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) b
      )
      select
        s.id,
        s.state,
        s.action,
        s.account_id,
        coalesce(t.until, f.until) as until,
        case
          when s.state <> 'claimed'
            or s.epoch <> app.claim_epoch()
            or a.ended_at is not null
            or a.send_id is distinct from s.id
            then 'gone'
          when not exists (select 1 from send_key k where k.key = s.send_key and k.send_id = s.id)
            or app.is_key_spent(s.send_key, s.account_id, s.person_id, s.id)
            then 'already_sent'
          when b.lead_id is not null and not app.is_even_excluded(s.action) then 'suppressed'
          when t.reason is not null then t.reason
          when f.account_id is not null then 'send_freeze'
        end as why
      from s
      join action a on a.id = s.action_id
      left join stops t on t.campaign_id = coalesce(s.campaign_id, '') and t.account_id = s.account_id
      left join frozen f on f.account_id = s.account_id and a.content_post_id is not null
      left join barred b on b.lead_id = s.lead_id and b.campaign_id is not distinct from s.campaign_id
    ) j;
    update send s
    set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp()
    from unnest(ids, whys) as x (id, why)
    where s.id = x.id and x.why is null;
    perform 1
    from account_pacing
    where account_id in (
      select s.account_id
      from send s
      where s.id = any (refused) or s.id = any (contacts) and s.action = 'mail'
    )
    order by account_id for update;
    if refused is not null then
      perform app.cancel_sends(refused, p_now);
      update action a
      set
        state = case when e.ends then 'stopped' else 'open' end,
        ended_at = case when e.ends then p_now end,
        error = case when e.ends then x.why else a.error end,
        due_at = case
          when not e.ends then case x.why when 'gone' then p_now else coalesce(x.until, p_now + 900000) end
        end,
        wait_reason = case when x.why in ('send_freeze', 'account_unhealthy') then x.why end
      from unnest(ids, whys, untils) as x (id, why, until)
      cross join lateral (select x.why in ('suppressed', 'already_sent') as ends) e
      where x.id = any (refused) and a.send_id = x.id and a.ended_at is null;
    end if;
    perform app.log_contacts(p_now, contacts);
    perform app.note_quiet_actions(p_now, accounts) where accounts is not null;
    return query
      select x.id, x.why is null, x.why, x.until
      from unnest(ids, whys, untils) as x (id, why, until);
  end $$;

alter function app.dispatch_actions(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.dispatch_actions(bigint, uuid[]) from public;
grant execute on function app.dispatch_actions(bigint, uuid[]) to outrider_executor;
