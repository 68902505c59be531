-- Keeps what confirmed sends say of the relation of account and person: a request makes it pending since p_now (epoch
-- ms; invitation_id is the provider's), a withdrawal ends that, other sends keep the provider's id of the person. It
-- never takes a connection back.
-- p_sends: those in another state are passed over. It serves sends that a person resolves, and withdrawals;
-- app.settle_sends writes the same for all others. Locks: relations by account and person.
create or replace function app.keep_relations(p_now bigint, p_sends uuid[]) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
    select distinct on (s.account_id, s.person_id)
      s.account_id,
      s.person_id,
      s.target ->> 'providerId',
      case s.action when 'connection_request' then 'pending' else 'none' end,
      case s.action when 'connection_request' then s.provider_ref end,
      case s.action when 'connection_request' then p_now end
    from send s
    where s.id = any (p_sends) and s.state = 'confirmed' and s.person_id is not null
    order by s.account_id, s.person_id, s.claimed_at desc
    on conflict (account_id, person_id) do update set
      provider_id = coalesce(excluded.provider_id, r.provider_id),
      state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
      invitation_id = coalesce(excluded.invitation_id, r.invitation_id),
      requested_at = coalesce(excluded.requested_at, r.requested_at);
    update relation r
    set state = 'none', invitation_id = null, requested_at = null
    from send s
    where s.id = any (p_sends)
      and s.state = 'confirmed'
      and s.action = 'withdraw_request'
      and r.account_id = s.account_id
      and r.person_id = s.person_id
      and r.state = 'pending';
  $$;

alter function app.keep_relations(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.keep_relations(bigint, uuid[]) from public;
