-- Says whether what may happen once has happened: the key was taken by another send than `p_send` (null: by any). Of a
-- request also by another agency of the account that asked the same human (app.persons_at).
create or replace function app.is_key_spent(p_key text, p_account text, p_person uuid, p_send uuid) returns boolean
  language sql stable
  as $$
    select exists (select 1 from send_key k where k.key = p_key and k.send_id is distinct from p_send)
      or p_key like 'r:%'
        and exists (
          select 1
          from app.persons_at(p_account, p_person) as x (id)
          join send_key k on k.key = 'r:' || p_account || ':' || x.id and k.send_id is distinct from p_send
        )
  $$;

grant execute on function app.is_key_spent(text, text, uuid, uuid) to outrider_definer;
