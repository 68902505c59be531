-- Says whether a send of ours to this person explains an action though the provider's reference does not: by the key
-- of a request, by the same text (a note opens the conversation later), or because its answer is still missing. For
-- app.count_by_hand.
create or replace function app.is_ours(p_account text, p_action text, p_person uuid, p_body text)
  returns boolean
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select exists (
      select 1
      from send_key k
      join send s on s.id = k.send_id
      where k.person_id in (select x.id from app.persons_at(p_account, p_person) as x (id))
        and s.account_id = p_account
        and (
          s.body <> '' and app.plain_text(s.body) = app.plain_text(p_body)
          or s.action = p_action and (k.key like 'r:%' or s.state in ('dispatched', 'unknown'))
          or p_action = 'connection_request' and k.key like 'r:%'
        )
    )
  $$;

alter function app.is_ours(text, text, uuid, text) owner to outrider_definer;
revoke execute on function app.is_ours(text, text, uuid, text) from public;
