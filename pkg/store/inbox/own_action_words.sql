-- Returns which of these messages of the account an action without a run wrote: by the provider's reference, or by its
-- text to the person where that does not tell. Empty where the caller may not use the account.
create or replace function app.own_action_words(p_account text, p_person uuid, p_refs text[], p_bodies text[])
  returns table (ref text, body text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select s.provider_ref, null::text
    from send s
    where s.account_id = p_account
      and s.provider_ref = any (p_refs)
      and s.action_id is not null
      and app.may_use_account(p_account)
    union all
    select null::text, b.body
    from send_key k
    join send s on s.id = k.send_id
    join unnest(p_bodies) b (body) on app.plain_text(b.body) = app.plain_text(s.body)
    where k.person_id in (select x.id from app.persons_at(p_account, p_person) as x (id))
      and s.account_id = p_account
      and s.action_id is not null
      and s.body <> ''
      and s.state in ('dispatched', 'unknown', 'confirmed')
      and app.may_use_account(p_account)
  $$;

alter function app.own_action_words(text, uuid, text[], text[]) owner to outrider_definer;
revoke execute on function app.own_action_words(text, uuid, text[], text[]) from public;
grant execute on function app.own_action_words(text, uuid, text[], text[]) to outrider_executor;
