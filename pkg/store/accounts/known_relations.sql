-- Returns what is known between these persons and the accounts that are linked to the workspace of the lease, a row
-- for each pair that is known: state, the provider's ids of person and invitation, times (product time, epoch ms),
-- and their latest conversation on the network that no InMail opened. chat_id is the provider's id of that
-- conversation, chat_synced_at when it was last read, by itself or in a round that read all; both are null where
-- there is none. profile_id: the profile under which the account looked the provider's id up; null: nobody proved it.
create or replace function app.known_relations(p_persons uuid[])
  returns table (
    account_id text, person_id uuid, state text, provider_id text, invitation_id text, requested_at bigint,
    connected_at bigint, chat_id text, chat_synced_at bigint, profile_id text
  )
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select
      r.account_id,
      r.person_id,
      r.state,
      r.provider_id,
      r.invitation_id,
      r.requested_at,
      r.connected_at,
      c.external_id,
      greatest(
        c.synced_at,
        (select (w.sync_state ->> 'chatsReadAt')::bigint from account_wake w where w.account_id = r.account_id)
      ),
      r.profile_id
    from (select distinct p.id from unnest(p_persons) as p (id)) k
    -- One person at a time, whatever the planner knows of a table that grows by the minute.
    cross join lateral (
      select x.*
      from relation x
      where x.person_id = k.id
        and exists (
          select 1
          from account_link l
          where l.account_id = x.account_id and l.workspace_id = (select app.workspace())
          offset 0
        )
      offset 0
    ) r
    left join lateral (
      select x.external_id, x.synced_at
      from (
        select o.*
        from conversation o
        where o.person_id = r.person_id and o.account_id = r.account_id
        union all
        select o.*
        from conversation o
        where o.account_id = r.account_id
          and o.provider_id = r.provider_id
          and o.provider_id <> ''
          and o.person_id is distinct from r.person_id
      ) x
      where not x.in_mail
      order by x.last_message_at desc limit 1
    ) c on true
  $$;

alter function app.known_relations(uuid[]) owner to outrider_definer;
revoke execute on function app.known_relations(uuid[]) from public;
grant execute on function app.known_relations(uuid[]) to outrider_executor;
