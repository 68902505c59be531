-- Records the reply of one person for app.record_reply: it stops what is planned for them in every workspace of the
-- account that knows them, in one transaction. It cancels claimed sends, drafts and messages that somebody planned
-- by hand before it (app.cancel_on_reply); runs become `replied` and look again at once (after an absence at
-- p_resume_at, else after a week), paused ones stay paused. "unsubscribe" excludes the person and ends their runs as
-- suppressed. Where nothing is under way, the last sequence that reached the person remembers the reply and stays as
-- it ended. With stopCompanyOnReply the colleagues' runs in the same campaign end. Source: catalog, contact policy
-- (stopOnReply, stopCompanyOnReply) and enums.replyClass. p_at: when the person wrote; p_at, p_now and p_resume_at:
-- epoch ms, product time. It reaches runs that had begun by then; a run that was handed over began with the first of
-- its chain (`sequenceFrom`). A reply that is not newer than the last one known changes nothing, unless a person
-- answers after a notice of absence; such a notice never takes the place of an answer. Returns how many live runs it
-- touched; 0 where the caller may not use the account. Locks: the person (shared), with stopCompanyOnReply the
-- campaigns' locks of colleagues, then the person's runs and the colleagues' in order of ids: batches hold runs and
-- wait for no campaign's lock (app.hand_off).
create or replace function app.hear_reply(
  p_now bigint, p_account text, p_person uuid, p_at bigint, p_class text, p_resume_at bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    late uuid[];
    known uuid[] := '{}';
    mates uuid[];
    sends uuid[];
    channel text;
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    p_person := coalesce(app.person_now(p_person), p_person);
    select kind into channel from network_account where id = p_account;
    -- It reads again while it finds others: the batch for which it waited may have handed the person over to another
    -- run.
    loop
      runs := (
        select array_agg(r.id order by r.id)
        from run r
        where r.person_id = p_person
          and r.ended_at is null
          and (
            coalesce((r.facts ->> 'lastReplyAt')::bigint, 0) < p_at
            or app.is_answer(p_class) and not app.is_answer(r.facts ->> 'replyClass')
          )
          and coalesce((r.facts ->> 'sequenceFrom')::bigint, r.started_at) <= p_at
          and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      );
      -- In workspaces where nothing is under way the last sequence that reached the person remembers it, and stays as
      -- it ended.
      late := (
        select array_agg(r.id order by r.id)
        from run r
        where r.id in (
            select distinct on (e.workspace_id) e.id
            from account_link k
            join run e on e.workspace_id = k.workspace_id and e.person_id = p_person
            join lead l on l.id = e.lead_id and l.erased_at is null
            where k.account_id = p_account
              and coalesce((e.facts ->> 'sequenceFrom')::bigint, e.started_at) <= p_at
              and (e.facts ? 'lastTouchAt' or e.facts ? 'requestedAt')
              and not exists (
                select 1
                from run o
                where o.person_id = p_person
                  and o.workspace_id = k.workspace_id
                  and o.ended_at is null
                  and coalesce((o.facts ->> 'sequenceFrom')::bigint, o.started_at) <= p_at
              )
            order by e.workspace_id, e.started_at desc, e.id desc
          )
          and r.ended_at is not null
          and r.state <> 'suppressed'
          and (
            coalesce((r.facts ->> 'lastReplyAt')::bigint, 0) < p_at
            or app.is_answer(p_class) and not app.is_answer(r.facts ->> 'replyClass')
          )
      );
      exit when runs || late is not distinct from known;
      known := runs || late;
      -- stopCompanyOnReply leaves colleagues in the same campaign alone too, also those whose enrolment is not
      -- committed yet.
      perform pg_advisory_xact_lock(hashtextextended('colleagues:' || k.id, 0))
      from (
        select distinct c.id
        from run u
        join campaign c on c.id = u.campaign_id
        where u.id = any (known)
          and app.policy_flag(c.settings, 'stopCompanyOnReply')
          and app.is_answer(p_class)
        order by 1
      ) k;
      mates := array(
        select r.id
        from run u
        join campaign c on c.id = u.campaign_id
        join lead l on l.id = u.lead_id
        join lead l2 on l2.company_key = l.company_key and l2.company_key <> '' and l2.id <> l.id
        join run r on r.campaign_id = u.campaign_id and r.lead_id = l2.id
        where u.id = any (known)
          and app.policy_flag(c.settings, 'stopCompanyOnReply')
          and app.is_answer(p_class)
          and r.ended_at is null
          and not r.id = any (coalesce(runs, '{}'))
      );
      perform 1 from run r where r.id = any (known || mates) order by r.id for no key update;
    end loop;
    if app.is_answer(p_class) then perform app.cancel_on_reply(p_now, p_account, p_person, p_at); end if;
    insert into lead_overlay as o (workspace_id, lead_id, last_replied_at)
    select distinct r.workspace_id, r.lead_id, p_at
    from run r
    where r.id = any (runs || late)
    on conflict (workspace_id, lead_id) do update set
      last_replied_at = greatest(o.last_replied_at, excluded.last_replied_at);
    if p_class = 'unsubscribe' then
      insert into suppression (
        id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
      )
      select
        gen_random_uuid(), l.workspace_id, 'workspace', 'person', p_person::text, p_person, 'unsubscribe',
        'asked to stop', app.is_removable('unsubscribe'), 'account-sync', p_now
      from account_link l
      left join person p on p.id = p_person and p.scope <> ''
      where l.account_id = p_account
        and coalesce(p.scope = app.person_scope(l.workspace_id), true)
        and not exists (
          select 1
          from suppression s
          where s.workspace_id = l.workspace_id
            and s.person_id = p_person
            and s.source = 'unsubscribe'
        );
    end if;
    if runs is null and late is null then return 0; end if;
    update run r
    set facts = r.facts
      || jsonb_build_object('replied', true, 'lastReplyAt', greatest(p_at, (r.facts ->> 'lastReplyAt')::bigint))
      || case
        when not app.is_answer(p_class) and app.has_replied(r.facts) then '{}'::jsonb
        else jsonb_build_object('replyClass', p_class, 'replyChannel', channel)
      end
    where r.id = any (late);
    select array_agg(s.id)
    into sends
    from send s
    where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    with taken as (
      update review_item
      set
        state = 'cancelled',
        reason = 'the lead replied',
        decided_at = p_now,
        decided_by = 'engine'
      where run_id = any (runs) and conversation_id is null and state in ('pending', 'approved')
      returning run_id, send_node_id
    ),
    back as (select t.run_id, array_agg(t.send_node_id) as nodes from taken t group by 1)
    update run r
    set facts = r.facts || jsonb_build_object(
      'approved', (r.facts -> 'approved') - b.nodes,
      'approvedSubjects', coalesce(r.facts -> 'approvedSubjects', '{}') - b.nodes
    )
    from back b
    where r.id = b.run_id and r.facts ? 'approved';
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      r.workspace_id,
      r.id,
      p_at,
      'reply.received',
      r.node_id,
      'lead',
      '',
      jsonb_build_object(
        'class', p_class,
        'channel', channel,
        case channel when 'network' then 'networkAccountId' else 'providerAccountId' end, p_account
      )
    from run r
    where r.id = any (runs || late);
    update run r
    set
      facts = case
        when not app.is_answer(p_class) or p_at < (r.facts ->> 'lastReplyAt')::bigint then r.facts
        else r.facts - 'awayUntil'
      end
        || case
          when not app.is_answer(p_class) and not (w.answered and w.stops)
            then jsonb_build_object('awayUntil', coalesce(p_resume_at, p_now + 604800000))
          else '{}'::jsonb
        end
        || jsonb_build_object(
          'replied', true,
          'lastReplyAt', greatest(p_at, (r.facts ->> 'lastReplyAt')::bigint)
        )
        || case
          when w.answered then '{}'::jsonb
          else jsonb_build_object('replyClass', p_class, 'replyChannel', channel)
        end
        || case when channel = 'network' then '{"connected": true}'::jsonb else '{}'::jsonb end,
      state = case
        when p_class = 'unsubscribe' then 'suppressed'
        when r.state = 'paused' or w.answered and w.stops then r.state
        else 'replied'
      end,
      wait_reason = case
        when w.answered and w.stops then r.wait_reason
        when r.state <> 'paused' and not app.is_answer(p_class) then 'until_time'
      end,
      due_at = case
        when p_class = 'unsubscribe' then null
        when r.state = 'paused' or w.answered and w.stops then r.due_at
        when not app.is_answer(p_class) then coalesce(p_resume_at, p_now + 604800000)
        else p_now
      end,
      ended_at = case when p_class = 'unsubscribe' then p_now end,
      end_reason = case when p_class = 'unsubscribe' then 'unsubscribed' end,
      send_id = case when r.send_id = any (sends) then null else r.send_id end
    -- answered: a person has, and this is only a notice of absence. stops: answers end the run, which such a notice
    -- does not change.
    from (
      select
        k.id,
        not app.is_answer(p_class) and app.has_replied(k.facts) as answered,
        app.policy_flag(c.settings, 'stopOnReply') as stops
      from run k
      join campaign c on c.id = k.campaign_id
      where k.id = any (runs)
    ) w
    where r.id = w.id;
    if p_class = 'unsubscribe' then
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select
        r.workspace_id,
        r.id,
        p_now,
        'run.completed',
        nullif(r.node_id, ''),
        'engine',
        '',
        '{"state": "suppressed", "reason": "unsubscribed"}'
      from run r
      where r.id = any (runs);
    end if;
    with ended as (
      update run r
      set
        state = 'stopped',
        ended_at = p_now,
        end_reason = 'a colleague replied',
        due_at = null,
        wait_reason = null
      where r.id = any (mates) and r.ended_at is null
      returning r.workspace_id, r.id, r.node_id
    )
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      e.workspace_id,
      e.id,
      p_now,
      'run.completed',
      nullif(e.node_id, ''),
      'engine',
      '',
      '{"state": "stopped", "reason": "a colleague replied"}'
    from ended e;
    -- Answers to what the person wrote before say nothing any more; one that has left becomes `sent` all the same.
    if app.is_answer(p_class) then
      update review_item i
      set
        state = 'cancelled',
        reason = 'the lead wrote again',
        decided_at = p_now,
        decided_by = 'engine'
      where i.run_id = any (runs || late)
        and i.conversation_id is not null
        and i.state in ('pending', 'approved')
        and i.answers_at < p_at;
    end if;
    if app.is_answer(p_class) and p_class is distinct from 'unsubscribe' then
      perform app.draft_replies(runs || late, p_account, p_at, p_class, p_now);
    end if;
    perform app.wake_workspaces(
      (select array_agg(r.workspace_id) from run r where r.id = any (runs) and r.ended_at is null),
      p_now,
      'reply'
    );
    return coalesce(cardinality(runs), 0);
  end $$;

alter function app.hear_reply(bigint, text, uuid, bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.hear_reply(bigint, text, uuid, bigint, text, bigint) from public;
grant execute on function app.hear_reply(bigint, text, uuid, bigint, text, bigint)
  to outrider_owner;
