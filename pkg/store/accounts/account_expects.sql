-- Whether live runs wait for news of this account (an answer to a request or a message), which decides how soon
-- account sync looks at it again. They are found through the persons of its last 20,000 sends, for runs by account
-- have no index; false for a foreign account.
create or replace function app.account_expects(p_account text) returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
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
        join run r on r.person_id = s.person_id
        where r.account_id = p_account
          and r.ended_at is null
          and (r.facts ? 'lastTouchAt' or r.facts ? 'requestedAt')
      )
  $$;

alter function app.account_expects(text) owner to outrider_definer;
revoke execute on function app.account_expects(text) from public;
grant execute on function app.account_expects(text) to outrider_executor, outrider_owner;
