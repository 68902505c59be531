-- As app.known_relations, without the profile that proves the provider's id. Programs of the version before call it;
-- the next release drops it.
create or replace function app.relations_of(p_persons uuid[])
  returns table (
    account_id text, person_id uuid, state text, provider_id text, invitation_id text, requested_at bigint,
    connected_at bigint, chat_id text, chat_synced_at bigint
  )
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select
      r.account_id, r.person_id, r.state, r.provider_id, r.invitation_id, r.requested_at, r.connected_at,
      r.chat_id, r.chat_synced_at
    from app.known_relations(p_persons) r
  $$;

alter function app.relations_of(uuid[]) owner to outrider_definer;
revoke execute on function app.relations_of(uuid[]) from public;
grant execute on function app.relations_of(uuid[]) to outrider_executor;
