-- Whether runs wait for news of an account was looked for among all runs of all workspaces, in each round of sync of each account: beside a
-- million runs half a second for each of some thousand accounts. Who waits for news was reached through the account: they are the persons of its
-- sends (of a run that was handed over, too), the newest first.
set local search_path = outrider, app, public;

create or replace function app.account_expects(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
    select app.may_use_account(p_account) and exists (
      select 1 from (select s.person_id from send s where s.account_id = p_account order by s.claimed_at desc limit 20000) s
        join run r on r.person_id = s.person_id
      where r.account_id = p_account and r.ended_at is null and (r.facts ? 'lastTouchAt' or r.facts ? 'requestedAt'))
  $$;
