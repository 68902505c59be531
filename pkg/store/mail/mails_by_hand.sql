-- Returns to which persons with live runs in the account's workspaces somebody wrote by hand, and when last: mails of
-- the folder of sent ones that no send of ours explains. A server may give ours another Message-ID, so that a mail
-- which left within ten minutes of one of ours to the same person is ours.
-- p_mails: [{to, at}]; at: epoch ms, as the result. Nothing where the caller may not use the account.
create or replace function app.mails_by_hand(p_account text, p_mails jsonb)
  returns table (person_id uuid, at bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select a.person_id, max(j.at)
    from jsonb_to_recordset(p_mails) as j ("to" text, at bigint)
    cross join unnest(app.mail_hashes(j."to")) h (value)
    join person_alias a on a.kind = 'mail' and a.value = h.value
    where app.may_use_account(p_account)
      and exists (
        select 1
        from run r
        where r.person_id = a.person_id
          and r.ended_at is null
          and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      )
      and not exists (
        select 1
        from send_key k
        join send s on s.id = k.send_id
        where k.person_id = a.person_id
          and s.account_id = p_account
          and s.action = 'mail'
          and s.dispatched_at between j.at - 600000 and j.at + 600000
      )
    group by a.person_id
  $$;

alter function app.mails_by_hand(text, jsonb) owner to outrider_definer;
revoke execute on function app.mails_by_hand(text, jsonb) from public;
grant execute on function app.mails_by_hand(text, jsonb) to outrider_executor;
