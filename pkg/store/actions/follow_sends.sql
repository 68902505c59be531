-- Brings the actions of these sends where their sends have come: done, failed for good, due again after a failure
-- that may pass, or waiting for an outcome that nobody knows. An end is told as an event, as a step of a run tells it;
-- that of a post by its own trigger (app.follow_content). An answer whose message left was sent.
-- Sends of runs among them are passed over.
-- `p_now`: epoch ms, product time. `p_results` as in app.settle_sends (retryAt, tries); without one, a failed send is
-- tried again at once. The caller has checked whose the sends are, and holds them or their actions.
create or replace function app.follow_sends(p_now bigint, p_sends uuid[], p_results jsonb) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    with s as materialized (
      select
        x.*,
        q."retryAt" as retry_at,
        q.tries as failures,
        case
          when x.state = 'confirmed' or x.state = 'unknown' and x.maybe then 'done'
          when x.state = 'unknown' and x.dead_letter_state = 'discarded' then 'stopped'
          when x.state = 'failed' and x.outcome <> 'cancelled' then 'failed'
          else 'open'
        end as became,
        x.state = 'failed' and x.outcome is null as again
      from send x
      left join jsonb_to_recordset(p_results) as q ("sendId" uuid, "retryAt" bigint, tries int) on q."sendId" = x.id
      where x.id = any (p_sends) and x.action_id is not null
    ),
    moved as (
      update action a
      set
        state = s.became,
        ended_at = case when s.became <> 'open' then p_now end,
        outcome = case when s.became <> 'open' then coalesce(s.outcome, a.outcome) end,
        error = case
          when s.became = 'stopped' then 'its outcome stays unknown: the dead letter was discarded'
          when s.became <> 'done' then coalesce(s.error, a.error)
        end,
        due_at = case
          when s.again then coalesce(s.retry_at, p_now)
          when s.state = 'failed' and s.became = 'open' then p_now
        end,
        wait_reason = case
          when s.state = 'unknown' and s.became = 'open' then 'unknown_outcome'
          when s.again and s.failures is not null then 'account_unhealthy'
        end,
        tries = coalesce(s.failures, a.tries),
        endings = a.endings + case when s.again and s.failures is null then 1 else 0 end,
        failing_since = case when s.failures is not null then coalesce(a.failing_since, p_now) else a.failing_since end
      from s
      where a.id = s.action_id and a.send_id = s.id and a.ended_at is null
      returning
        a.workspace_id, a.id, a.lead_id, a.campaign_id, a.state, a.error, a.action, a.body,
        s.id as send_id, s.account_id, (a.target ->> 'reviewItemId')::uuid as review_id
    ),
    answered as (
      update review_item i
      set state = 'sent'
      from moved m
      where i.id = m.review_id
        and m.state = 'done'
        and i.workspace_id = m.workspace_id
        and i.conversation_id is not null
        and i.state in ('approved', 'cancelled')
    )
    insert into run_event (workspace_id, at, kind, actor, text, data)
    select
      m.workspace_id,
      p_now,
      case m.state when 'done' then app.event_of(m.action) else 'message.failed' end,
      'engine',
      case m.state when 'done' then coalesce(m.body, '') else '' end,
      jsonb_strip_nulls(
        jsonb_build_object(
          'leadId', m.lead_id,
          'campaignId', m.campaign_id,
          'actionId', m.id,
          'sendId', m.send_id,
          'action', m.action,
          case m.action when 'mail' then 'providerAccountId' else 'networkAccountId' end, m.account_id,
          'reason', case m.state when 'failed' then coalesce(m.error, '') end
        )
      )
    from moved m
    where m.lead_id is not null
      and (m.state = 'failed' or m.state = 'done' and app.event_of(m.action) is not null)
  $$;

alter function app.follow_sends(bigint, uuid[], jsonb) owner to outrider_definer;
revoke execute on function app.follow_sends(bigint, uuid[], jsonb) from public;
