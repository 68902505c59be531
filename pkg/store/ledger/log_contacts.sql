-- Keeps what dispatched contacts leave behind, whatever becomes of them: contact log, the mailbox's smallest gap,
-- first and last action of the account, a look at its inbox in a quarter of an hour, the lead's last contact.
-- `p_sends` null: nothing. `p_now`: epoch ms UTC, product time. app.dispatch_sends calls it, which has checked whose
-- they are. Locks: account_pacing of mailboxes, then network_account, each by id.
create or replace function app.log_contacts(p_now bigint, p_sends uuid[]) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if p_sends is null then return; end if;
    insert into contact_log as g (
      person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches
    )
    -- Actions without a run count as one workflow of their workspace.
    select
      s.person_id, s.workspace_id, coalesce(s.campaign_id, ''), coalesce(s.workflow_id, 'action:' || s.workspace_id),
      min(s.account_id), p_now, count(*)::int
    from send s
    where s.id = any (p_sends) and app.is_contact(s.action)
    group by 1, 2, 3, 4
    on conflict (person_id, workflow_id) do update set
      before_at = g.last_at,
      last_at = excluded.last_at,
      touches = g.touches + excluded.touches,
      account_id = excluded.account_id;
    perform 1
    from account_pacing
    where account_id in (select s.account_id from send s where s.id = any (p_sends) and s.action = 'mail')
    order by account_id for update;
    update account_pacing p
    set heavy_free_at = greatest(p.heavy_free_at, p_now + m.min_gap_ms)
    from mailbox m
    where m.account_id = p.account_id
      and p.account_id in (select s.account_id from send s where s.id = any (p_sends) and s.action = 'mail');
    perform 1
    from network_account a
    where a.id in (select s.account_id from send s where s.id = any (p_sends))
    order by a.id for no key update;
    update network_account a
    set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
    where a.id in (select s.account_id from send s where s.id = any (p_sends));
    insert into account_wake as w (account_id, due_at)
    select distinct s.account_id, p_now + 900000
    from send s
    where s.id = any (p_sends) and app.is_contact(s.action)
    order by 1
    on conflict (account_id) do update set due_at = excluded.due_at
      where w.due_at > excluded.due_at;
    insert into lead_overlay as o (workspace_id, lead_id, last_contacted_at)
    select distinct s.workspace_id, s.lead_id, p_now
    from send s
    where s.id = any (p_sends) and app.is_contact(s.action)
    on conflict (workspace_id, lead_id) do update set last_contacted_at = excluded.last_contacted_at;
  end $$;

alter function app.log_contacts(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.log_contacts(bigint, uuid[]) from public;
