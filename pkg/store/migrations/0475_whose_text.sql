-- What an agency reads of a conversation says which run wrote a message also where the provider's reference does not tell: the note of a
-- request opens the conversation under an id of its own, and account sync may see a message before its answer is kept. Before, both stood
-- there as written elsewhere, for ever.
set local search_path = outrider, app, public;

create function app.own_texts(p_account text, p_person uuid, p_bodies text[]) returns table (body text, run_id uuid)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (s.body) s.body, s.run_id from send_key k join send s on s.id = k.send_id
      where k.person_id = p_person and s.account_id = p_account and s.body = any (p_bodies)
        and s.state in ('dispatched', 'unknown', 'confirmed') and app.may_use_account(p_account)
      order by s.body, s.claimed_at desc
  $$;
alter function app.own_texts(text, uuid, text[]) owner to outrider_definer;
revoke execute on function app.own_texts(text, uuid, text[]) from public;
grant execute on function app.own_texts(text, uuid, text[]) to outrider_executor, outrider_definer;
