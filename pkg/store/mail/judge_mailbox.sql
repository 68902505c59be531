-- Pauses a mailbox whose mails of the last 30 days came back too often, or were complained about, or which servers
-- refused on three days of the last week although it rested in between (catalog: defaults.mail; the mailbox's row
-- holds rates and smallest sample). Mails from before it was resumed (judged_since), and what comes back of them, do
-- not count. Several reports of one mail, or of one address without a mail, count once.
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
  begin
    if app.account() is distinct from p_account then return null; end if;
    select * into m from mailbox where account_id = p_account;
    if not found then return null; end if;
    -- A rest did not mend it: what goes on being sent is lost, and a person has to look.
    select case when count(distinct r.at / 86400000) >= 3
      then 'servers refused the sender on three days of a week: ' || regexp_replace(
        (array_agg(r.reason order by r.at desc))[1], '\S+@\S+', '…', 'g'
      )
    end
    into why
    from mail_report r
    where r.account_id = p_account
      and r.kind = 'sender_fault'
      and r.at > greatest(p_now - 7 * 86400000::bigint, m.judged_since);
    if why is not null then return app.pause_mailbox(p_account, left(why, 500), m.judged_since); end if;
    select count(*)::int
    into sent
    from send
    where account_id = p_account
      and action = 'mail'
      and state = 'confirmed'
      and dispatched_at > greatest(p_now - 30 * 86400000::bigint, m.judged_since);
    if sent < m.min_sample then return null; end if;
    select
      count(distinct coalesce(send_id::text, address)) filter (where kind in ('hard_bounce', 'soft_bounce'))::int,
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
    return app.pause_mailbox(p_account, why, m.judged_since);
  end $$;

alter function app.judge_mailbox(bigint, text) owner to outrider_definer;
revoke execute on function app.judge_mailbox(bigint, text) from public;
grant execute on function app.judge_mailbox(bigint, text) to outrider_executor;
