-- A settlement changes nothing that stands in an index of its send, so that it makes no new entries in all of them: which sends
-- are open stands in a narrow table of its own.
set local search_path = outrider, app, public;

-- One row per send that is not settled. Kept by triggers, whoever writes the send.
create table outrider.open_send (
  workspace_id text not null,
  send_id uuid not null,
  primary key (workspace_id, send_id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table outrider.open_send enable row level security;
alter table outrider.open_send force row level security;
create policy owner_all on outrider.open_send to outrider_owner using (true) with check (true);
create policy definer_all on outrider.open_send to outrider_definer using (true) with check (true);
create policy app_visible on outrider.open_send for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.open_send for select to outrider_executor using (workspace_id = (select app.workspace()));
grant select on outrider.open_send to outrider_app, outrider_executor;
grant select, insert, delete on outrider.open_send to outrider_definer;

create function app.keep_open_sends() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$ begin insert into open_send (workspace_id, send_id) select n.workspace_id, n.id from new_rows n where n.settled_at is null; return null; end $$;
create function app.keep_open_send() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'DELETE' or new.settled_at is not null then
      delete from open_send where workspace_id = old.workspace_id and send_id = old.id;
    else
      insert into open_send (workspace_id, send_id) values (new.workspace_id, new.id) on conflict do nothing;
    end if;
    return null;
  end $$;
alter function app.keep_open_sends() owner to outrider_definer;
alter function app.keep_open_send() owner to outrider_definer;
revoke execute on function app.keep_open_sends(), app.keep_open_send() from public;
grant execute on function app.keep_open_sends(), app.keep_open_send() to outrider_owner;
create trigger open_sends_made after insert on outrider.send referencing new table as new_rows for each statement execute function app.keep_open_sends();
create trigger open_send_changed after update on outrider.send for each row
  when ((old.settled_at is null) <> (new.settled_at is null)) execute function app.keep_open_send();
create trigger open_send_deleted after delete on outrider.send for each row when (old.settled_at is null) execute function app.keep_open_send();
insert into outrider.open_send (workspace_id, send_id) select workspace_id, id from outrider.send where settled_at is null;
drop index outrider.send_open;
-- Room for its two later versions beside it.
alter table outrider.send set (fillfactor = 50);

-- A person's claims and the claim of a person within a scope are found by one index instead of two.
alter table outrider.contact_claim drop constraint contact_claim_pkey;
alter table outrider.contact_claim add primary key (person_id, scope_key);
drop index outrider.contact_claim_person;

-- As before; only the accounts of what failed are locked, not those of all that is settled beside it.
create or replace function app.settle_sends(p_now bigint, p_results jsonb) returns table (send_id uuid, run_id uuid, state text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    failed uuid[];
    withdrawn uuid[];
    ids uuid[];
    runs uuid[];
    states text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run where id in (select s.run_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true)
      order by id for no key update;
    -- What failed gives back first: it locks the accounts before their budgets, as everybody does.
    if p_results @? '$[*] ? (@.result == "failed")' then
      select array_agg(x.id) into failed from (
        select s.id from jsonb_to_recordset(p_results) as q ("sendId" uuid, result text) join send s on s.id = q."sendId"
        where q.result = 'failed' and (s.workspace_id = ws) is true and s.state in ('claimed', 'dispatched', 'unknown')
          and s.dead_letter_state is distinct from 'discarded' order by s.id for update of s) x;
      if failed is not null then
        perform 1 from account_pacing where account_id in (select s.account_id from send s where s.id = any (failed)) order by account_id for update;
        perform app.undo_contacts(failed);
      end if;
    end if;
    -- Conditions that no index serves, so that the sends are found by their ids whatever the planner guesses of their states.
    with u as (
      update send s set
          state = q.result, outcome = coalesce(q.outcome, s.outcome), error = coalesce(q.error, s.error), provider_ref = coalesce(q.ref, s.provider_ref),
          target = s.target || coalesce(q.target, '{}'), maybe = s.maybe or coalesce(q.maybe, false),
          settled_at = case when q.result = 'unknown' then s.settled_at else p_now end,
          lookup_after = case when q.result = 'unknown' then clock_timestamp() + make_interval(secs => coalesce(q."lookupAfterMs", 0) / 1000.0) end,
          evidence = s.evidence || coalesce(q.evidence, '[]')
        from jsonb_to_recordset(p_results)
          as q ("sendId" uuid, result text, outcome text, ref text, error text, evidence jsonb, "lookupAfterMs" float8, maybe boolean, target jsonb, "retryAt" bigint)
        where s.id = q."sendId" and (s.workspace_id = ws) is true and q.result in ('confirmed', 'failed', 'unknown')
          and (s.state in ('dispatched', 'unknown') or (s.state = 'claimed' and q.result = 'failed')) is true
          and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.run_id, s.state, s.maybe, s.action, s.account_id, s.person_id, s.claimed_at, s.provider_ref, s.target ->> 'providerId' as provider_id, q."retryAt"
    ),
    -- As app.keep_relations; what a relation says already is not written again.
    known as (
      insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
        select distinct on (u.account_id, u.person_id) u.account_id, u.person_id, u.provider_id,
          case u.action when 'connection_request' then 'pending' else 'none' end,
          case u.action when 'connection_request' then u.provider_ref end, case u.action when 'connection_request' then p_now end
        from u where u.state = 'confirmed' and u.action <> 'withdraw_request'
          and (u.action = 'connection_request' or not exists (select 1 from relation o where o.account_id = u.account_id and o.person_id = u.person_id
            and (u.provider_id is null or o.provider_id = u.provider_id)))
        order by u.account_id, u.person_id, u.claimed_at desc
        on conflict (account_id, person_id) do update set
          provider_id = coalesce(excluded.provider_id, r.provider_id),
          state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
          invitation_id = coalesce(excluded.invitation_id, r.invitation_id), requested_at = coalesce(excluded.requested_at, r.requested_at)
    ),
    told as (
      update run r set
          wait_reason = case when u.state = 'unknown' and not u.maybe then 'unknown_outcome' else r.wait_reason end,
          due_at = case when u.state = 'unknown' and not u.maybe then p_now + 3600000 else coalesce(u."retryAt", p_now) end
        from u where r.id = u.run_id and r.send_id = u.id and r.ended_at is null and r.state <> 'paused'
    )
    select array_agg(u.id), array_agg(u.run_id), array_agg(u.state), array_agg(u.id) filter (where u.state = 'confirmed' and u.action = 'withdraw_request')
      into ids, runs, states, withdrawn from u;
    if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;
    return query select x.id, x.run_id, x.state from unnest(ids, runs, states) as x (id, run_id, state);
  end $$;

-- As before, by the table of open sends.
do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  after := replace(before, 'from send where workspace_id = ws and settled_at is null', 'from open_send o join send s on s.id = o.send_id where o.workspace_id = ws');
  if after = before then raise exception 'app.rest does not read as expected'; end if;
  execute after;
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before, 'where workspace_id = ws and settled_at is null and state', 'where id in (select o.send_id from open_send o where o.workspace_id = ws) and state');
  if (select count(*) from regexp_matches(after, 'open_send o', 'g')) <> 2 then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;
end $$;

-- CREATE OR REPLACE drops a function's settings.
do $$
declare
  path text;
begin
  foreach path in array array['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'] loop
    execute format('alter function app.settle_sends(bigint, jsonb) set enable_%s = off', path);
  end loop;
  foreach path in array array['sort', 'material'] loop
    execute format('alter function app.settle_sends(bigint, jsonb) set enable_%s = on', path);
  end loop;
end $$;
