-- Records an acceptance of one person for app.record_acceptance.
-- It records that a person accepted p_account's request, or was found connected, at p_at. All workspaces of the account
-- then know the relation; their live runs of this account get the facts connected and connectedAt, and those that
-- wait for a duration look again at p_now. A run whose workspace had asked the person gets the event
-- connection.accepted, and so does the run that asked where it is over and no live one of its workspace hears it; a
-- person who was connected without that, or a day and more before, accepted nothing. The network's clock is not ours,
-- so that the event never comes before the request nor in the future.
-- p_now, p_at: product time, epoch ms. p_person: also one that was merged into another meanwhile. p_provider_id: the
-- provider's id of the person; null keeps what is known. Returns how many runs it told: 0 when the acceptance is
-- known, and for an account that the caller may not use. Locks as the one that settles a send: the person (it waits
-- for a merge), runs by id, then the relation.
create or replace function app.hear_acceptance(
  p_now bigint, p_account text, p_person uuid, p_provider_id text, p_at bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    known uuid[] := '{}';
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    p_person := coalesce(app.person_now(p_person), p_person);
    if exists (
      select 1
      from relation r
      where r.account_id = p_account and r.person_id = p_person and r.state = 'connected'
    ) then
      return 0;
    end if;
    -- It reads again while it finds others: the batch for which it waited may have handed the person over to another
    -- run.
    loop
      select array_agg(x.id)
      into runs
      from (
        select r.id
        from run r
        where r.person_id = p_person
          and r.ended_at is null
          and r.account_id = p_account
          and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
        order by r.id for no key update
      ) x;
      exit when runs is not distinct from known;
      known := runs;
    end loop;
    insert into relation as r (account_id, person_id, provider_id, state, connected_at)
    values (p_account, p_person, p_provider_id, 'connected', p_at)
    on conflict (account_id, person_id) do update set
      state = 'connected',
      connected_at = excluded.connected_at,
      provider_id = coalesce(excluded.provider_id, r.provider_id),
      invitation_id = null
      where r.state <> 'connected';
    if not found then return 0; end if;
    -- The run that asked and is over by now: what came of its request stands in its history, as late answers do.
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      r.workspace_id,
      r.id,
      least(p_now, greatest(p_at, s.dispatched_at)),
      'connection.accepted',
      nullif(r.node_id, ''),
      'lead',
      '',
      jsonb_build_object('networkAccountId', p_account)
    from send_key k
    join send s on s.id = k.send_id and s.state in ('dispatched', 'unknown', 'confirmed')
    join run r on r.id = s.run_id and r.workspace_id = k.workspace_id and r.ended_at is not null
    where k.key = 'r:' || p_account || ':' || p_person
      and p_at >= coalesce(s.dispatched_at, p_at) - 86400000
      and not exists (select 1 from run o where o.id = any (runs) and o.workspace_id = k.workspace_id);
    if runs is null then return 0; end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      r.workspace_id,
      r.id,
      least(p_now, greatest(p_at, s.dispatched_at)),
      'connection.accepted',
      r.node_id,
      'lead',
      '',
      jsonb_build_object('networkAccountId', p_account)
    from run r
    join send_key k on k.key = 'r:' || p_account || ':' || p_person and k.workspace_id = r.workspace_id
    join send s on s.id = k.send_id and s.state in ('dispatched', 'unknown', 'confirmed')
    where r.id = any (runs) and p_at >= coalesce(s.dispatched_at, p_at) - 86400000;
    update run r
    set
      facts = r.facts || jsonb_build_object('connected', true, 'connectedAt', p_at),
      due_at = case
        when r.state = 'waiting' and r.wait_reason = 'duration' and r.send_id is null then p_now
        else r.due_at
      end
    where r.id = any (runs);
    perform app.wake_workspaces(
      (select array_agg(distinct r.workspace_id) from run r where r.id = any (runs)),
      p_now,
      'acceptance'
    );
    return cardinality(runs);
  end $$;

alter function app.hear_acceptance(bigint, text, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.hear_acceptance(bigint, text, uuid, text, bigint) from public;
grant execute on function app.hear_acceptance(bigint, text, uuid, text, bigint)
  to outrider_owner;
