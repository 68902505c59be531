-- A reply of people whom a signal agent with handleReplies enqueued: the executor of their workspace is to draft an
-- answer, which waits for a person (a schedule of one time, of the kind agent_reply). On the network only. p_runs:
-- runs that heard the reply; p_account: where it came; p_at: when it was written; p_class: enums.replyClass; p_at and
-- p_now: epoch ms, product time. Caller: app.hear_reply.
create or replace function app.draft_replies(p_runs uuid[], p_account text, p_at bigint, p_class text, p_now bigint)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    -- Days for which what became of a draft is kept.
    kept constant bigint := 30 * 86400000::bigint;
    woken text[];
  begin
    if not exists (select 1 from network_account n where n.id = p_account and n.kind = 'network') then return; end if;
    with made as (
      insert into schedule (
        id, workspace_id, kind, name, settings, once_at, enabled, next_for, next_at, created_at
      )
      select
        gen_random_uuid(), r.workspace_id, 'agent_reply', 'Drafts a reply',
        jsonb_build_object(
          'runId', r.id, 'agentId', a.id, 'accountId', p_account, 'at', p_at, 'replyClass', p_class
        ),
        p_now, true, p_now, p_now, p_now
      from signal_decision d
      join signal_agent a on a.id = d.agent_id and a.handle_replies
      join schedule s on s.id = a.id and s.deleted_at is null
      join run r on r.id = d.run_id
      where d.run_id = any (p_runs)
        and d.outcome = 'enqueued'
        and not exists (
          select 1
          from schedule x
          where x.workspace_id = r.workspace_id
            and x.kind = 'agent_reply'
            and x.settings ->> 'runId' = r.id::text
            and (x.settings ->> 'at')::bigint >= p_at
        )
      returning workspace_id
    )
    select array_agg(distinct workspace_id) into woken from made;
    if woken is null then return; end if;
    delete from schedule x
    where x.workspace_id = any (woken)
      and x.kind = 'agent_reply'
      and x.next_at is null
      and x.created_at < p_now - kept;
    perform app.wake_workspaces(woken, p_now, 'a signal agent answers');
  end $$;

alter function app.draft_replies(uuid[], text, bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.draft_replies(uuid[], text, bigint, text, bigint) from public;
