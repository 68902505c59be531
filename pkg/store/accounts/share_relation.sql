-- Trigger of relation: for an account, what is known of an id of its network is known of everybody who has it, to
-- whichever agency they belong. Who is met under an id takes over what was known of it, the closer relation of two;
-- a request that begins or ends is so for all. What an acceptance means app.record_acceptance tells each of them.
create or replace function app.share_relation() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare known record;
  begin
    if tg_when = 'BEFORE' then
      -- Another id under the same relation was found under no profile that anybody named.
      if tg_op = 'UPDATE' and new.provider_id is distinct from old.provider_id
        and new.profile_id is not distinct from old.profile_id
      then
        new.profile_id := null;
      end if;
      if new.provider_id is null or new.provider_id = '' then return new; end if;
      select r.*
      into known
      from relation r
      where r.account_id = new.account_id
        and r.provider_id = new.provider_id
        and r.person_id <> new.person_id
      order by array_position(array['connected', 'pending', 'none'], r.state) limit 1;
      if not found then return new; end if;
      if new.state = 'none' and known.state <> 'none' or new.state = 'pending' and known.state = 'connected' then
        new.state := known.state;
      end if;
      new.invitation_id := coalesce(new.invitation_id, known.invitation_id);
      new.requested_at := coalesce(new.requested_at, known.requested_at);
      new.connected_at := coalesce(new.connected_at, known.connected_at);
      return new;
    end if;
    update relation r
    set state = new.state, invitation_id = new.invitation_id, requested_at = new.requested_at
    where r.account_id = new.account_id
      and r.provider_id = new.provider_id
      and r.person_id <> new.person_id
      and (r.state, r.invitation_id, r.requested_at)
        is distinct from (new.state, new.invitation_id, new.requested_at);
    return null;
  end $$;

alter function app.share_relation() owner to outrider_definer;
revoke execute on function app.share_relation() from public;
