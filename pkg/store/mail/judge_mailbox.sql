-- Pauses a mailbox whose mails of the last 30 days came back too often, or were complained about (catalog:
-- defaults.mail; the mailbox's row holds rates and smallest sample). Mails from before it was resumed (judged_since),
-- and what comes back of them, do not count. Several reports of one mail, or of one address without a mail, count
-- once.
-- p_now: product time, epoch ms. Returns why it is too often, also while the mailbox is paused for that already; null
-- when all is well. Under the account's lease only. Locks: the account, then the mailbox.
create or replace function app.judge_mailbox(p_now bigint, p_account text) returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    m record;
    sent int;
    bounced int;
    complained int;
    why text;
    rests boolean;
  begin
    if app.account() is distinct from p_account then return null; end if;
    select * into m from mailbox where account_id = p_account;
    if not found then return null; end if;
    select count(*)::int
    into sent
    from send
    where account_id = p_account
      and action = 'mail'
      and state = 'confirmed'
      and dispatched_at > greatest(p_now - 30 * 86400000::bigint, m.judged_since);
    if sent < m.min_sample then return null; end if;
    select
      count(distinct coalesce(send_id::text, address)) filter (where kind <> 'complaint')::int,
      count(distinct coalesce(send_id::text, address)) filter (where kind = 'complaint')::int
    into bounced, complained
    from mail_report r
    where account_id = p_account
      and at > p_now - 30 * 86400000::bigint
      and coalesce((select s.dispatched_at from send s where s.id = r.send_id), at) > m.judged_since;
    why := case
      when bounced > m.pause_at_bounce_rate * sent then format('%s of %s mails bounced', bounced, sent)
      when complained > m.pause_at_complaint_rate * sent
        then format('%s of %s mails were complained about', complained, sent)
    end;
    if why is null then return null; end if;
    select a.paused
    into rests
    from network_account a
    where a.id = p_account
    for no key update;
    -- It was resumed meanwhile: the next round judges it by what came since.
    perform 1 from mailbox where account_id = p_account and judged_since = m.judged_since;
    if not found then return null; end if;
    update mailbox
    set pause_reason = why
    where account_id = p_account and (pause_reason = '' or not rests);
    if found then update network_account set paused = true where id = p_account; end if;
    return why;
  end $$;

alter function app.judge_mailbox(bigint, text) owner to outrider_definer;
revoke execute on function app.judge_mailbox(bigint, text) from public;
grant execute on function app.judge_mailbox(bigint, text) to outrider_executor;
