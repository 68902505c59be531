-- Says whether live runs have mailed from this mailbox, or a person or an invitation has in the last 14 days, and so
-- wait for news of it, which decides how soon it is read again. It looks among the mailbox's last 20,000 mails, the
-- newest first; where all of those are of runs that have ended, the mailbox is read as seldom as one that expects
-- nothing. The time is what the transaction told (app.product_now). False for an account that the caller may not use.
create or replace function app.mailbox_expects(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select app.may_use_account(p_account)
      and exists (
        select 1
        from (
          select s.run_id, s.action_id, s.action, s.dispatched_at
          from send s
          where s.account_id = p_account
          order by s.claimed_at desc limit 20000
        ) s
        left join run r on r.id = s.run_id
        where s.dispatched_at is not null
          and (
            s.action = 'mail' and r.id is not null and r.ended_at is null
            or s.action in ('mail', 'invitation')
              and s.action_id is not null
              and s.dispatched_at > app.product_now() - 14 * 86400000::bigint
          )
      )
  $$;

alter function app.mailbox_expects(text) owner to outrider_definer;
revoke execute on function app.mailbox_expects(text) from public;
grant execute on function app.mailbox_expects(text) to outrider_executor;
