-- Returns what became of the mails that these mailboxes sent since then, whichever of their workspaces sent them: sent,
-- those that came back and those that were complained about (several reports of one mail count once), persons who were
-- written to and those of them who answered; a notice of absence is no answer. It counts, and tells nobody's name.
-- p_since: epoch ms, product time. Nothing of mailboxes that the caller may not use.
create or replace function app.mailbox_rates(p_accounts text[], p_since bigint)
  returns table (account_id text, sent int, bounced int, complained int, written int, replied int)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select a.id, s.sent, r.bounced, r.complained, s.written, c.replied
    from unnest(p_accounts) a (id)
    cross join lateral (
      select count(*)::int as sent, count(distinct x.person_id)::int as written
      from send x
      where x.account_id = a.id
        and x.claimed_at > p_since
        and x.action = 'mail'
        and x.state = 'confirmed'
    ) s
    cross join lateral (
      select
        count(distinct coalesce(m.send_id::text, m.address)) filter (
          where m.kind in ('hard_bounce', 'soft_bounce')
        )::int as bounced,
        count(distinct coalesce(m.send_id::text, m.address)) filter (where m.kind = 'complaint')::int as complained
      from mail_report m
      where m.account_id = a.id and m.at > p_since
    ) r
    cross join lateral (
      select count(distinct t.person_id)::int as replied
      from conversation t
      where t.account_id = a.id
        and t.last_message_at > p_since
        and starts_with(t.external_id, 'mail:')
        and exists (
          select 1
          from message m
          where m.conversation_id = t.id
            and m.direction = 'in'
            and m.sent_at > p_since
            and m.reply_class is distinct from 'out_of_office'
        )
    ) c
    where app.may_use_account(a.id)
  $$;

alter function app.mailbox_rates(text[], bigint) owner to outrider_definer;
revoke execute on function app.mailbox_rates(text[], bigint) from public;
grant execute on function app.mailbox_rates(text[], bigint) to outrider_app, outrider_executor;
