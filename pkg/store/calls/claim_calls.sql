-- Takes the key and the credits for calls of runs that the caller has locked.
-- `p_now`: epoch ms UTC, product time. `p_requests`: [{runId, callId, holdId, nodeId, nodeType, onceKey, repeatable,
-- outward: crm | outreach | webhook | null, integrationId, url, credits: held for half an hour, action: billable
-- action}] (CallRequest in node-calls.ts).
-- Returns a row for each. `call_id`: of the granted call, or of the one that has the key. `refusal`: null, gone,
-- send_freeze, suppressed, no_integration, rehearsal, credits, seen (settled or unknown), busy (a call of another run
-- with this key is under way). `next_at`: epoch ms, null when nobody knows. `tries`: this one included, without those
-- that ended with their executor (20 at most).
-- OU001: the lease is stale. Locks: calls by their keys, then the balance of credits.
create or replace function app.claim_calls(p_now bigint, p_requests jsonb)
  returns table (run_id uuid, call_id uuid, granted boolean, refusal text, next_at bigint, tries int)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    u record;
    c record;
    s record;
    h record;
    made uuid;
    destination text;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    for r in
      select *
      from jsonb_to_recordset(p_requests) as q (
        "runId" uuid, "callId" uuid, "holdId" uuid, "nodeId" text, "nodeType" text, "onceKey" text,
        repeatable boolean, outward text, "integrationId" text, url text, credits int, action text
      )
      order by q."onceKey"
    loop
      run_id := r."runId";
      call_id := null;
      granted := false;
      refusal := null;
      next_at := null;
      tries := 1;
      select *
      into u
      from run x
      where x.id = r."runId"
        and x.workspace_id = ws
        and x.ended_at is null
        and x.state <> 'paused';
      if not found then
        refusal := 'gone';
        return next;
        continue;
      end if;
      select *
      into s
      from app.call_stop(ws, u.campaign_id, u.workflow_id, u.id, u.lead_id, r.outward, p_now);
      if s.reason is not null then
        refusal := s.reason;
        next_at := s.until;
        return next;
        continue;
      end if;
      destination := r.url;
      if r."integrationId" is not null then
        select i.url
        into destination
        from integration i
        where i.id = r."integrationId"
          and i.workspace_id = ws
          and i.kind = r.outward
          and i.deleted_at is null
          and i.status <> 'paused';
        if not found then
          refusal := 'no_integration';
          return next;
          continue;
        end if;
      end if;
      -- A rehearsal (a clock that ran ahead) reaches nobody but the sandbox of its own machine.
      if r.outward is not null
        and coalesce(destination, '') !~ '^https?://(127\.0\.0\.1|localhost|\[::1\])(:|/|$)'
        and exists (select 1 from installation i where i.rehearsal)
      then
        refusal := 'rehearsal';
        return next;
        continue;
      end if;
      insert into node_call (
        id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, once_key, repeatable,
        outward, state, epoch, action, claimed_at
      )
      values (
        r."callId", ws, u.workflow_id, u.campaign_id, u.id, r."nodeId", r."nodeType", u.lead_id, r."onceKey",
        r.repeatable, r.outward, 'claimed', app.claim_epoch(), r.action, p_now
      )
      on conflict (workspace_id, once_key)
        where once_key is not null do nothing;
      made := r."callId";
      if not found then
        select *
        into c
        from node_call x
        where x.workspace_id = ws and x.once_key = r."onceKey"
        for update;
        -- It takes up an attempt that proved to have done nothing, or that an ended executor or run left behind.
        if c.state in ('settled', 'unknown') then
          call_id := c.id;
          refusal := 'seen';
          return next;
          continue;
        end if;
        if c.state = 'dispatched'
          or (
            c.run_id <> u.id
            and exists (select 1 from run o where o.id = c.run_id and o.send_id = c.id and o.ended_at is null)
          )
        then
          refusal := 'busy';
          return next;
          continue;
        end if;
        if c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'tried anew');
        end if;
        update node_call x
        set
          run_id = u.id,
          node_id = r."nodeId",
          workflow_id = u.workflow_id,
          campaign_id = u.campaign_id,
          epoch = app.claim_epoch(),
          tries = x.tries + 1,
          retry_at = null,
          credit_hold_id = null
        where x.id = c.id;
        made := c.id;
        tries := greatest(1, c.tries + 1 - least(c.ended, 20));
      end if;
      if r.credits > 0 then
        select *
        into h
        from app.hold_credits(
          r."holdId",
          ws,
          r.credits,
          r.action,
          null,
          u.id,
          u.campaign_id,
          null,
          'call:' || made || ':' || r."holdId",
          made::text,
          p_now,
          1800,
          604800
        );
        if h.outcome <> 'held' then
          delete from node_call x where x.id = made;
          refusal := 'credits';
          return next;
          continue;
        end if;
        update node_call x set credit_hold_id = r."holdId" where x.id = made;
      end if;
      call_id := made;
      granted := true;
      return next;
    end loop;
  end $$;

alter function app.claim_calls(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.claim_calls(bigint, jsonb) from public;
grant execute on function app.claim_calls(bigint, jsonb) to outrider_executor;
