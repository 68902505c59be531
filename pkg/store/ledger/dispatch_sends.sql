-- Commits that these requests are about to be written (catalog: claimed -> dispatched before the outside call). It
-- looks once more at run, key, suppression, reply, freezes, epoch and the days between touches, and cancels what it
-- refuses: units and key are back and the run is due again.
-- `p_now`: epoch ms UTC, product time. Returns a row for each send of the lease's workspace. `refusal`: null when
-- dispatched; `next_at`: epoch ms when its stop ends, null when nobody knows. OU001: the lease is stale. Locks: runs
-- by id, the persons to whom it may write, the sends, account_pacing, account_budget, then network_account by id.
create or replace function app.dispatch_sends(p_now bigint, p_sends uuid[])
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
    refused_ids uuid[];
    contact_ids uuid[];
    contact_accounts text[];
    passive_accounts text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- A reply locks the runs of its person first, so that it is either seen here or comes after the request. Every
    -- change of a claimed send of a live lease holds its run, so that this locks the sends without waiting.
    perform 1
    from run
    where id in (select s.run_id from send s where s.id = any (p_sends) and (s.workspace_id = ws) is true)
    order by id for no key update;
    -- The two lanes of a workspace meet at a person: the second one sees the first one's contact. A few locks stand
    -- for all persons.
    perform pg_advisory_xact_lock(hashtextextended('touch:' || ws || ':' || k.place, 0))
    from (
      select distinct abs(hashtext(s.person_id::text) % 8) as place
      from send s
      where s.id = any (p_sends) and (s.workspace_id = ws) is true and app.is_contact(s.action)
      order by 1
    ) k;
    select
      array_agg(j.id),
      array_agg(j.why),
      array_agg(j.until),
      array_agg(j.id) filter (where j.why is not null and j.state = 'claimed'),
      array_agg(j.id) filter (where j.why is null and app.is_contact(j.action)),
      array_agg(distinct j.account_id) filter (where j.why is null and app.is_contact(j.action)),
      array_agg(distinct j.account_id) filter (where j.why is null and not app.is_contact(j.action))
    into ids, whys, untils, refused_ids, contact_ids, contact_accounts, passive_accounts
    from (
      with s as materialized (
        select
          s.id, s.run_id, s.campaign_id, s.workflow_id, s.account_id, s.lead_id, s.state, s.epoch, s.action,
          s.send_key, s.person_id, s.claimed_at
        from send s
        where s.id = any (p_sends) and (s.workspace_id = ws) is true
        for update of s
      ),
      stops as materialized (
        select t.*
        from (
          select
            array_agg(campaign_id) as campaigns,
            array_agg(workflow_id) as workflows,
            array_agg(account_id) as accounts
          from (select distinct campaign_id, workflow_id, account_id from s) d
        ) k
        cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t
      ),
      barred as materialized (
        select b.lead_id, g.campaign_id
        from (select campaign_id, array_agg(lead_id) as leads from s group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) b
      ),
      held as materialized (select h.id from hold h where h.kind = 'run'),
      twins as materialized (
        select x.id
        from (
          select s.id, row_number() over (partition by s.person_id order by s.id) as place
          from s
          where s.state = 'claimed' and app.is_contact(s.action)
        ) x
        where x.place > 1
      )
      select
        s.id,
        s.state,
        s.action,
        s.account_id,
        t.until,
        case
          when s.state <> 'claimed'
            or s.epoch <> app.claim_epoch()
            or u.ended_at is not null
            or u.state = 'paused'
            or u.send_id is distinct from s.id
            then 'gone'
          when not exists (select 1 from send_key k where k.key = s.send_key and k.send_id = s.id)
            then 'already_sent'
          -- Another agency of the account asked the same human, whom the account knows by one id by now.
          when s.send_key like 'r:%' and app.is_key_spent(s.send_key, s.account_id, s.person_id, s.id)
            then 'already_sent'
          when (s.lead_id, s.campaign_id) in (select lead_id, campaign_id from barred) then 'suppressed'
          when u.state = 'replied' or (app.has_replied(u.facts) and app.policy_flag(c.settings, 'stopOnReply'))
            then 'replied'
          when t.reason is not null then t.reason
          when u.id::text in (select id from held) then 'send_freeze'
          when app.is_contact(s.action)
            and app.policy_days(c.settings, 'minDaysBetweenTouches') > 0
            and (
              s.id in (select id from twins)
              or exists (
                select 1
                from contact_log g
                where g.person_id = s.person_id
                  and g.workspace_id = ws
                  and g.last_at + app.policy_days(c.settings, 'minDaysBetweenTouches')::bigint * 86400000
                    > greatest(s.claimed_at, p_now)
              )
            ) then 'duration'
        end as why
      from s
      join run u on u.id = s.run_id
      join campaign c on c.id = s.campaign_id
      left join stops t
        on t.campaign_id = s.campaign_id and t.workflow_id = s.workflow_id and t.account_id = s.account_id
    ) j;
    update send s
    set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp()
    from unnest(ids, whys) as x (id, why)
    where s.id = x.id and x.why is null;
    -- It locks the pace of all accounts that follow before the budgets of some and the rows of others.
    if contact_ids is not null and (refused_ids is not null or passive_accounts is not null) then
      perform 1
      from account_pacing
      where account_id in (
        select s.account_id
        from send s
        where s.id = any (refused_ids || contact_ids) and (s.action = 'mail' or s.id = any (refused_ids))
      )
      order by account_id for update;
    end if;
    if refused_ids is not null then
      perform app.cancel_sends(refused_ids, p_now);
      update run r
      set due_at = greatest(p_now, least(s.claimed_at, p_now + 1000))
      from send s
      where s.id = any (refused_ids)
        and r.id = s.run_id
        and r.send_id = s.id
        and r.ended_at is null
        and r.state not in ('paused', 'replied');
    end if;
    if contact_accounts is not null and passive_accounts is not null then
      perform 1
      from network_account a
      where a.id = any (contact_accounts || passive_accounts)
        and (
          a.id = any (contact_accounts)
          or a.first_send_at is null
          or a.last_action_at is null
          or a.last_action_at not between p_now - 60000 and p_now
        )
      order by a.id for no key update;
    end if;
    perform app.log_contacts(p_now, contact_ids);
    update network_account a
    set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
    from (select unnest(passive_accounts) as id order by 1) x
    -- For actions that reach nobody a minute is exact enough.
    where a.id = x.id
      and (
        a.first_send_at is null
        or a.last_action_at is null
        or a.last_action_at not between p_now - 60000 and p_now
      );
    return query
      select x.id, x.why is null, x.why, x.until
      from unnest(ids, whys, untils) as x (id, why, until);
  end $$;

alter function app.dispatch_sends(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.dispatch_sends(bigint, uuid[]) from public;
grant execute on function app.dispatch_sends(bigint, uuid[]) to outrider_executor;
