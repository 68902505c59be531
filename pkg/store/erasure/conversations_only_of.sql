-- Returns the conversations with a person that a workspace holds and no other living one sees, without those that this
-- very erasure (p_now: epoch ms UTC, product time) has emptied.
create or replace function app.conversations_only_of(p_workspace text, p_person uuid, p_now bigint) returns uuid[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select coalesce(array_agg(c.id order by c.id), '{}')
    from conversation c
    where c.id in (select o from app.conversations_of(array[p_person]) o)
      and c.erased_at is distinct from p_now
      and app.is_account_of(c.account_id, p_workspace)
  $$;

alter function app.conversations_only_of(text, uuid, bigint) owner to outrider_definer;
revoke execute on function app.conversations_only_of(text, uuid, bigint) from public;
