-- Takes what was granted of a judged batch: send keys, contact claims, units of budgets and promised moments, and
-- makes the sends: claimed, or dispatched where `at_once`.
-- Returns a row per request: granted, or its refusal with its next_at; already_sent where another one took the key
-- meanwhile, claim_held_elsewhere where it took the contact claim. p_now: epoch ms, product time. app.claim_sends
-- calls it, which has judged everything else and holds account_pacing and account_budget. Locks: send keys, then
-- contact claims, in their order.
create or replace function app.take_sends(p_workspace text, p_now bigint, p_judged app.judged_send[])
  returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    wanted app.judged_send[];
    kept app.judged_send[];
    keyed uuid[];
    taken uuid[];
    own_epoch bigint := app.claim_epoch();
  begin
    select array_agg(j order by j.ord)
    into wanted
    from unnest(p_judged) j
    where j.refusal is null;
    return query
      select j.run_id, false, j.refusal, j.next_at
      from unnest(p_judged) j
      where j.refusal is not null;
    if wanted is null then return; end if;
    keyed := app.take_send_keys(p_workspace, p_now, wanted);
    kept := app.only_sends(wanted, keyed);
    taken := app.take_contact_claims(p_workspace, p_now, kept);
    if cardinality(taken) < cardinality(keyed) then
      delete from send_key where send_id = any (keyed) and not send_id = any (taken);
      kept := app.only_sends(kept, taken);
    end if;
    insert into send (
      id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action,
      budgets, send_key, state, epoch, body, target, budget_date, claimed_at, dispatched_at, dispatched_real
    )
    select
      k.send_id,
      p_workspace,
      k.workflow_id,
      k.campaign_id,
      k.run_id,
      k.node_id,
      k.lead_id,
      k.person_id,
      k.account_id,
      k.action,
      k.budgets,
      k.send_key,
      case when k.at_once then 'dispatched' else 'claimed' end,
      own_epoch,
      k.body,
      coalesce(k.target, '{}'),
      k.budget_date,
      p_now,
      case when k.at_once then p_now end,
      case when k.at_once then clock_timestamp() end
    from unnest(kept) k;
    perform app.note_quiet_actions(
      p_now,
      array(select distinct k.account_id from unnest(kept) k where k.at_once)
    );
    perform app.take_units(p_workspace, p_now, kept);
    perform app.take_promises(p_now, kept);
    if cardinality(taken) = cardinality(wanted) then
      return query select w.run_id, true, null::text, null::bigint from unnest(wanted) w;
      return;
    end if;
    return query
      select
        w.run_id,
        t.send_id is not null,
        case
          when t.send_id is not null then null
          when k.send_id is not null then 'claim_held_elsewhere'
          else 'already_sent'
        end,
        null::bigint
      from unnest(wanted) w
      left join unnest(keyed) as k (send_id) on k.send_id = w.send_id
      left join unnest(taken) as t (send_id) on t.send_id = w.send_id;
  end $$;

alter function app.take_sends(text, bigint, app.judged_send[]) owner to outrider_definer;
revoke execute on function app.take_sends(text, bigint, app.judged_send[]) from public;
