-- Stops what somebody planned to say to a person who has answered meanwhile, in every workspace of the account, and
-- tells it: what its writer knew stops nothing. That is what came until `knownAt` of its target (when the newest
-- message came that was stored when they wrote, by the network's clock): a reply that was not read yet may be older
-- than the plan. Without it, it is what came before the plan. Where the writer named the last message
-- (`expectedAt`), the look before it leaves stops it for what is older than the plan, and names that message.
-- `p_at`: when the person wrote; `p_at`, `p_now`: epoch ms, product time. app.hear_reply calls it, which has asked
-- whether the caller may. Locks: as app.cancel_actions.
create or replace function app.cancel_on_reply(p_now bigint, p_account text, p_person uuid, p_at bigint) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    insert into run_event (workspace_id, at, kind, actor, text, data)
    select
      a.workspace_id,
      p_now,
      'message.failed',
      'lead',
      '',
      jsonb_strip_nulls(
        jsonb_build_object(
          'leadId', a.lead_id,
          'campaignId', a.campaign_id,
          'actionId', a.id,
          'action', a.action,
          'networkAccountId', a.account_id,
          'reason', 'cancelled_by_reply'
        )
      )
    from action a
    where a.id = any (
      app.cancel_actions(
        array(
          select o.id
          from action o
          where o.person_id = p_person
            and o.ended_at is null
            and o.action in ('message', 'inmail', 'mail')
            and coalesce((o.target ->> 'knownAt')::bigint, o.created_at) < p_at
            and (not o.target ? 'expectedAt' or o.created_at < p_at)
            and o.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
        ),
        p_now,
        'cancelled_by_reply'
      )
    )
  $$;

alter function app.cancel_on_reply(bigint, text, uuid, bigint) owner to outrider_definer;
revoke execute on function app.cancel_on_reply(bigint, text, uuid, bigint) from public;
