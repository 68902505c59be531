-- What a batch confirms it needs not read again, and a batch of quiet actions does not write the accounts that the other one writes.
set local search_path = outrider, app, public;

-- As before, and says which sends it confirmed.
drop function app.confirm_sends(bigint, uuid[], text[], text[], text[]);
create function app.confirm_sends(p_now bigint, p_sends uuid[], p_outcomes text[], p_refs text[], p_providers text[]) returns table (send_id uuid, dispatched_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on
  as $$
  #variable_conflict use_column
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- Conditions that no index serves, so that the sends are found by their ids whatever the planner guesses of their states.
    return query
    with u as (
      update send s set state = 'confirmed', outcome = coalesce(q.outcome, s.outcome), provider_ref = coalesce(q.ref, s.provider_ref), settled_at = p_now, lookup_after = null,
          target = case when q.provider is null then s.target else s.target || jsonb_build_object('providerId', q.provider) end
        from unnest(p_sends, p_outcomes, p_refs, p_providers) as q (id, outcome, ref, provider)
        where s.id = q.id and (s.workspace_id = ws) is true and (s.state in ('dispatched', 'unknown')) is true
          and app.is_harmless(s.action) and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.dispatched_at, s.account_id, s.person_id, s.claimed_at, q.provider
    ),
    met as (
      -- As app.settle_sends does.
      insert into relation as r (account_id, person_id, provider_id, state)
        select distinct on (u.account_id, u.person_id) u.account_id, u.person_id, u.provider, 'none' from u where u.provider is not null
        order by u.account_id, u.person_id, u.claimed_at desc
        on conflict (account_id, person_id) do update set provider_id = excluded.provider_id
    )
    select u.id, u.dispatched_at from u;
  end $$;
alter function app.confirm_sends(bigint, uuid[], text[], text[], text[]) owner to outrider_definer;
revoke execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) from public;
grant execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) to outrider_executor;

-- When an action was last dispatched with its claim (epoch ms product time). It is written with the unit that it takes; the account
-- itself, which others work on, is written when its first action is.
alter table account_budget add column last_at bigint;

create or replace function app.note_quiet_actions(p_now bigint, p_accounts text[]) returns void
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_sort = on
  as $$
    update network_account a set last_action_at = p_now, first_send_at = p_now
      from (select unnest(p_accounts) as id order by 1) x
      where a.id = x.id and a.first_send_at is null
  $$;

-- When an account acted last; null: never.
create function app.last_action_at(p_account network_account) returns bigint
  language sql stable security invoker
  as $$ select greatest(p_account.last_action_at, (select max(b.last_at) from outrider.account_budget b where b.account_id = p_account.id)) $$;
grant execute on function app.last_action_at(network_account) to outrider_app, outrider_executor, outrider_definer, outrider_owner;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.take_wishes(text, bigint, app.send_wish[])'::regprocedure);
  after := replace(before, 'set used[1] = b.used[1] + x.units,', 'set used[1] = b.used[1] + x.units, last_at = case when x.acts then p_now else b.last_at end,');
  after := replace(after, 'count(*)::int as units from unnest(kept) w', 'count(*)::int as units, bool_or(w.at_once) as acts from unnest(kept) w');
  if (select count(*) from regexp_matches(after, 'acts', 'g')) <> 2 then raise exception 'app.take_wishes does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.take_sends(text, bigint, jsonb, uuid[])'::regprocedure);
  after := replace(before, 'set used[1] = b.used[1] + x.units,', 'set used[1] = b.used[1] + x.units, last_at = case when x.acts then p_now else b.last_at end,');
  after := replace(after, 'count(*)::int as units from send s', 'count(*)::int as units, bool_or(s.state = ''dispatched'') as acts from send s');
  if (select count(*) from regexp_matches(after, 'acts', 'g')) <> 2 then raise exception 'app.take_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.take_profile_reads(text, bigint, int)'::regprocedure);
  after := replace(before, 'order by n.last_action_at nulls first', 'order by app.last_action_at(n) nulls first');
  if after = before then raise exception 'app.take_profile_reads does not read as expected'; end if;
  execute after;
end $$;

-- Each request looks up what is its own: nothing that was looked up is asked for again.
alter function app.claim_sends(bigint, jsonb) set enable_memoize = off;
