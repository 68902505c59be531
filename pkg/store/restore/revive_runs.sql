-- Takes up to p_most of the runs up again that the last deletion of a workflow ended (app.ended_with); the caller
-- calls again until it returns 0. They go on where they stood: a wait counts from when they came to it, drafts are
-- made and asked for anew, what was sent stays sent, who was paused stays paused, and who answered meanwhile has
-- answered. Whom no other run has taken since, they have again. p_now: epoch ms UTC, product time. Returns how many
-- it took up. Locks: runs by id, as executors do, then contact claims by person.
create or replace function app.revive_runs(p_workflow text, p_now bigint, p_most int) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ended uuid[];
  begin
    ended := array(select e.id from app.ended_with(p_workflow) as e (id) order by e.id limit p_most);
    if cardinality(ended) = 0 then return 0; end if;
    perform 1 from run r where r.id = any (ended) order by r.id for no key update;
    insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
    select r.workspace_id, r.id, p_now, 'run.started', 'system', 'the workflow was brought back', '{}'
    from run r
    where r.id = any (ended);
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, p_now, 'lead.entered_campaign', 'engine',
      jsonb_build_object('campaignId', x.campaign_id, 'workflowId', p_workflow, 'leadIds', t.part)
    from (
      select r.workspace_id, r.campaign_id, array_agg(r.lead_id order by r.id) as ids
      from run r
      where r.id = any (ended)
        and not exists (
          select 1
          from (
            select x.lead_id, x.campaign_id, x.ended_at
            from run x
            where x.person_id = r.person_id
            offset 0
          ) o
          where o.lead_id = r.lead_id and o.campaign_id = r.campaign_id and o.ended_at is null
        )
      group by 1, 2
    ) x
    cross join lateral app.thousands(x.ids) as t (part);
    update run r
    set
      state = k.state,
      wait_reason = case k.state when 'waiting' then 'duration' when 'in_review' then 'review' end,
      due_at = case k.state when 'paused' then (r.facts -> 'deletedFrom' ->> 'dueAt')::bigint else p_now end,
      ended_at = null,
      end_reason = null,
      send_id = null,
      version = r.version + 1,
      facts = r.facts - array['approved', 'approvedSubjects', 'deletedFrom']
    from (
      select
        u.id,
        case
          when u.facts -> 'deletedFrom' ->> 'state' = 'paused' then 'paused'
          when app.has_replied(u.facts)
            and (u.facts -> 'deletedFrom' ->> 'state' = 'replied' or (u.facts ->> 'lastReplyAt')::bigint >= u.ended_at)
            then 'replied'
          when exists (
            select 1
            from review_item i
            where i.run_id = u.id
              and i.conversation_id is null
              and i.node_id = u.node_id
              and i.created_at >= u.entered_at
              and i.state in ('rejected', 'expired')
          ) then 'in_review'
          else 'waiting'
        end as state
      from run u
      where u.id = any (ended)
    ) k
    where r.id = k.id;
    perform 1 from contact_claim c where c.run_id = any (ended) order by c.person_id for no key update;
    update contact_claim c set released_at = null where c.run_id = any (ended) and c.released_at is not null;
    return cardinality(ended);
  end $$;

alter function app.revive_runs(text, bigint, int) owner to outrider_definer;
revoke execute on function app.revive_runs(text, bigint, int) from public;
grant execute on function app.revive_runs(text, bigint, int) to outrider_app;
