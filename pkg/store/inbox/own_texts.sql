-- Returns which of these texts a send of ours carried to the person through the account, however a network writes its
-- lines and spaces, and the run that sent each last. It serves messages whose reference tells nothing: the note of a
-- request, an answer that is still missing. Empty where the caller may not use the account.
create or replace function app.own_texts(p_account text, p_person uuid, p_bodies text[])
  returns table (body text, run_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (b.body) b.body, s.run_id
    from send_key k
    join send s on s.id = k.send_id
    join unnest(p_bodies) b (body) on app.plain_text(b.body) = app.plain_text(s.body)
    where k.person_id in (select x.id from app.persons_at(p_account, p_person) as x (id))
      and s.account_id = p_account
      and s.body <> ''
      and s.state in ('dispatched', 'unknown', 'confirmed')
      and app.may_use_account(p_account)
    order by b.body, s.claimed_at desc
  $$;

alter function app.own_texts(text, uuid, text[]) owner to outrider_definer;
revoke execute on function app.own_texts(text, uuid, text[]) from public;
grant execute on function app.own_texts(text, uuid, text[]) to outrider_executor;
