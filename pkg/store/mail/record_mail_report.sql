-- Records that a mail came back, or that its reader complained. A hard bounce (or soft ones of three mails to the
-- address in 90 days, of the mailboxes of these workspaces) bars the address for mail in every workspace of the
-- mailbox and cancels mails to it that have not left; the run, or the one to which it was handed over, learns
-- `mailBounced`, and other channels go on. A complaint ends everything for the person in the workspaces that wrote.
-- What a server refused because of the mail (refused) is told to the run as well and bars nothing; because of us
-- (sender_fault), it only stands in the run's history.
-- It keeps nothing of erased persons.
-- p_external: Message-ID of the report, which is kept once; p_kind: as in mail_report; p_send:
-- our mail, null when the report names none; p_address: the mail's recipient, null when the report does not say. A
-- report that names our mail is about the address to which that went, whatever other address it names, since anybody
-- may write a report. p_now, p_at: product time, epoch ms.
-- False when the report is known, is about nobody, or is of an account without its lease. Locks: runs by id, then
-- what app.cancel_sends locks.
create or replace function app.record_mail_report(
  p_now bigint, p_account text, p_external text, p_kind text, p_send uuid, p_address text, p_reason text,
  p_at bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    s record;
    barred boolean;
    runs uuid[];
    known uuid[] := '{}';
    heirs uuid[];
    sends uuid[];
    erased text[];
    forgotten boolean;
  begin
    if app.account() is distinct from p_account then return false; end if;
    select * into s from send where id = p_send and account_id = p_account;
    p_address := coalesce(s.target ->> 'to', p_address);
    if p_address is null and s.id is null then return false; end if;
    -- The workspaces of the mailbox in which the recipient was erased, and whether nothing of them may be kept.
    select
      coalesce(array_agg(l.workspace_id) filter (where g.is_erased), '{}'),
      coalesce(bool_and(g.is_erased), false)
    into erased, forgotten
    from account_link l
    cross join lateral (
      select exists (
          select 1
          from erasure_tombstone t
          where t.workspace_id = l.workspace_id
            and t.hash in (select app.erasure_hash(l.workspace_id, i) from unnest(app.mail_proofs(p_address)) i)
        )
        or (
          l.workspace_id = s.workspace_id
          and exists (select 1 from lead e where e.id = s.lead_id and e.erased_at is not null)
        ) as is_erased
    ) g
    where l.account_id = p_account;
    if s.id is not null then forgotten := p_address is null or s.workspace_id = any (erased); end if;
    insert into mail_report (account_id, external_id, kind, send_id, address, reason, at)
    values (
      p_account,
      p_external,
      p_kind,
      p_send,
      case when forgotten then '' else lower(p_address) end,
      case when forgotten then '' else left(p_reason, 500) end,
      p_at
    )
    on conflict do nothing;
    if not found then return false; end if;
    if p_kind = 'complaint' then
      perform app.opt_out(p_now, o.workspace_id, o.person_id, 'complaint', 'complaint')
      from (
        select distinct x.workspace_id, x.person_id
        from send x
        where x.account_id = p_account
          and x.action = 'mail'
          and x.dispatched_at is not null
          and (x.id = s.id or (s.id is null and lower(x.target ->> 'to') = lower(p_address)))
        order by 1, 2
      ) o;
      return true;
    end if;
    barred := p_kind = 'hard_bounce'
      or (
        select count(distinct coalesce(m.send_id::text, m.external_id))
        from mail_report m
        where m.address = lower(p_address)
          and m.kind = 'soft_bounce'
          and m.at > p_at - 90 * 86400000::bigint
          and m.account_id in (
            select o.account_id
            from account_link l
            join account_link o on o.workspace_id = l.workspace_id
            where l.account_id = p_account
          )
      ) >= 3;
    if p_kind = 'sender_fault' and s.id is not null then
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      values (
        s.workspace_id,
        s.run_id,
        p_at,
        'mail.bounced',
        s.node_id,
        'lead',
        case when forgotten then '' else left(p_reason, 200) end,
        jsonb_build_object('sendId', s.id, 'kind', p_kind)
      );
    end if;
    if not barred and p_kind <> 'refused' then return true; end if;
    insert into suppression (
      id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at
    )
    select
      gen_random_uuid(), l.workspace_id, 'workspace', 'mail', lower(p_address), 'bounce', left(p_reason, 200),
      app.is_removable('bounce'), 'account-sync', p_now
    from account_link l
    where l.account_id = p_account
      and barred
      and p_address is not null
      and not l.workspace_id = any (erased)
      and not exists (
        select 1
        from suppression x
        where x.workspace_id = l.workspace_id
          and x.kind = 'mail'
          and x.value = lower(p_address)
          and x.source = 'bounce'
      );
    if s.id is null then return true; end if;
    -- It locks runs before accounts, in the order of executors. It reads again while it finds others: the batch for
    -- which it waited may have handed the person over to another run.
    loop
      heirs := array(
        select r.id
        from run r
        where r.workspace_id = s.workspace_id
          and r.lead_id = s.lead_id
          and r.ended_at is null
          and (r.id = s.run_id or (r.facts ->> 'sequenceFrom')::bigint <= s.claimed_at)
      );
      select array_agg(x.id)
      into runs
      from (
        select r.id
        from run r
        where r.id = any (
          array(
            select c.run_id
            from send c
            join account_link l on l.workspace_id = c.workspace_id and l.account_id = p_account
            where barred
              and c.action = 'mail'
              and c.state in ('planned', 'claimed')
              and lower(c.target ->> 'to') = lower(p_address)
          ) || s.run_id || heirs
        )
        order by r.id for no key update
      ) x;
      exit when runs is not distinct from known;
      known := runs;
    end loop;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    values (
      s.workspace_id,
      s.run_id,
      p_at,
      'mail.bounced',
      s.node_id,
      'lead',
      case when forgotten then '' else left(p_reason, 200) end,
      jsonb_build_object('sendId', s.id, 'kind', p_kind)
    );
    update run r
    set
      facts = r.facts || jsonb_build_object('mailBounced', true),
      due_at = case
        when r.state = 'waiting' and r.wait_reason = 'duration' and r.send_id is null then p_now
        else r.due_at
      end
    where r.id = any (heirs) and r.ended_at is null;
    select array_agg(c.id)
    into sends
    from send c
    join account_link l on l.workspace_id = c.workspace_id and l.account_id = p_account
    where barred
      and c.run_id = any (runs)
      and c.action = 'mail'
      and c.state in ('planned', 'claimed')
      and lower(c.target ->> 'to') = lower(p_address);
    if sends is not null then
      perform app.cancel_sends(sends, p_now);
      update run
      set due_at = p_now
      where send_id = any (sends) and ended_at is null and state not in ('paused', 'replied');
    end if;
    perform app.wake_workspaces(array[s.workspace_id], p_now, 'bounce');
    return true;
  end $$;

alter function app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint) owner to outrider_definer;
revoke execute on function app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint) from public;
grant execute on function app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint)
  to outrider_executor;
