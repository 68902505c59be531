-- Says whether live runs wait for news of this account (an answer to a request or to a message), which decides how
-- soon account sync looks at it again. It finds them through the persons of the account's last 20,000 sends, since no
-- index has runs by account. False for an account that the caller may not use.
create or replace function app.account_expects(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select app.may_use_account(p_account)
      and exists (
        select 1
        from (
          select s.person_id
          from send s
          where s.account_id = p_account
          order by s.claimed_at desc limit 20000
        ) s
        -- One person at a time: runs by account have no index, and the planner would read all that are live.
        cross join lateral (
          select 1
          from run r
          where r.person_id = s.person_id
            and r.account_id = p_account
            and r.ended_at is null
            and (r.facts ? 'lastTouchAt' or r.facts ? 'requestedAt')
          offset 0
        ) waiting
      )
  $$;

alter function app.account_expects(text) owner to outrider_definer;
revoke execute on function app.account_expects(text) from public;
grant execute on function app.account_expects(text) to outrider_executor, outrider_owner;
