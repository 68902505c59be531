-- Calls: what nodes ask of systems outside that is no send to a person (a text, an enrichment, free slots, a push into a
-- CRM, a webhook). A ledger of its own: claimed -> dispatched -> settled | unknown. The key keeps a second push away for as
-- long as the first is open or done; credits are held with the claim and settled in the transaction that settles the call.
set local search_path = outrider, app, public;

create table outrider.node_call (
  id uuid primary key,
  workspace_id text not null,
  workflow_id text not null,
  campaign_id text not null,
  run_id uuid not null,
  node_id text not null,
  node_type text not null,
  lead_id uuid not null,
  once_key text,                            -- null after a proven failure: then it may be tried anew
  repeatable boolean not null,              -- asking again does no harm: a question, or the receiver knows the key
  outward text,                             -- what leaves the product: crm, outreach, webhook; null: only a question
  state text not null check (state in ('claimed', 'dispatched', 'settled', 'unknown')),
  epoch bigint not null,
  tries int not null default 1,
  action text,                              -- billable action of the catalog
  credit_hold_id uuid,
  credits int not null default 0,           -- charged
  outcome text,
  result jsonb not null default '{}',       -- what the run takes with it; emptied when the person is erased
  ref text,                                 -- id at the other side
  error text,
  sequence bigint,                          -- of webhooks: rising per workspace
  not_found int not null default 0,         -- agreeing look-ups after an unknown outcome
  claimed_at bigint not null,
  dispatched_at bigint,
  dispatched_real timestamptz,
  settled_at bigint
);
create unique index node_call_once on outrider.node_call (workspace_id, once_key) where once_key is not null;
create index node_call_open on outrider.node_call (workspace_id, state) where state <> 'settled';
create index node_call_run on outrider.node_call (run_id);
create index node_call_lead on outrider.node_call (workspace_id, lead_id);

create table outrider.webhook_sequence (
  workspace_id text primary key,
  last bigint not null
);

-- A connected CRM, outreach platform or webhook. `sealed`: credentials, encrypted with the installation's key.
create table outrider.integration (
  id text primary key,
  workspace_id text not null,
  provider text not null,
  kind text not null check (kind in ('crm', 'outreach', 'webhook', 'chat')),
  name text not null default '',
  status text not null default 'connected' check (status in ('connected', 'needs_auth', 'error', 'paused')),
  url text not null default '',             -- a webhook's target; else an address other than the provider's own
  sealed bytea,
  events text[] not null default '{}',
  last_delivery_at bigint,
  failures_in_row int not null default 0,
  last_error text,
  created_at bigint not null,
  deleted_at bigint
);
create index integration_workspace on outrider.integration (workspace_id, id) where deleted_at is null;

-- A connected calendar. Hours are those in which meetings may lie, in its own timezone.
create table outrider.calendar_account (
  id text primary key,
  workspace_id text not null,
  email text not null default '',
  url text not null,                        -- of the CalDAV collection
  sealed bytea,
  timezone text not null default 'UTC',
  start_hour int not null default 9 check (start_hour between 0 and 23),
  end_hour int not null default 18 check (end_hour between 1 and 24),
  status text not null default 'connected' check (status in ('connected', 'needs_auth', 'error')),
  created_at bigint not null,
  deleted_at bigint,
  check (start_hour < end_hour)
);
create index calendar_account_workspace on outrider.calendar_account (workspace_id, created_at, id) where deleted_at is null;

create table outrider.notification (
  id uuid primary key,
  workspace_id text not null,
  user_id uuid not null,
  kind text not null,
  title text not null,
  text text not null,
  data jsonb not null default '{}',
  next_tool text,
  origin text not null,                     -- what made it: the same origin tells a member once
  created_at bigint not null,
  read_at bigint,
  unique (workspace_id, user_id, origin)
);
create index notification_page on outrider.notification (workspace_id, user_id, created_at desc, id desc);

do $$
declare
  name text;
  visible constant text := 'workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform())';
begin
  foreach name in array array['node_call', 'webhook_sequence', 'integration', 'calendar_account', 'notification'] loop
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', name);
    execute format('create policy definer_all on outrider.%I to outrider_definer using (true) with check (true)', name);
    execute format('create policy app_visible on outrider.%I to outrider_app using (%s) with check (%s)', name, visible, visible);
    execute format('create policy executor_claim on outrider.%I for select to outrider_executor using (workspace_id = (select app.workspace()))', name);
    execute format('grant select, insert, update, delete on outrider.%I to outrider_definer', name);
  end loop;
end $$;
grant select on outrider.node_call, outrider.integration, outrider.calendar_account, outrider.notification, outrider.persona to outrider_executor;
grant select on outrider.node_call to outrider_app;
grant select, insert, update on outrider.integration, outrider.calendar_account, outrider.notification to outrider_app;

-- Why a call that leaves the product may not go now, or null. `until`: when that ends by itself.
create function app.call_stop(p_workspace text, p_campaign text, p_workflow text, p_run uuid, p_lead uuid, p_outward text, p_now bigint,
    out reason text, out until bigint)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  declare z record;
  begin
    if app.flow_stop(p_workspace, p_campaign, p_workflow) is not null or exists (select 1 from hold h where h.kind = 'run' and h.id = p_run::text) then
      reason := 'send_freeze'; return;
    end if;
    if p_outward is null then return; end if;
    select s.until into z from send_freeze s
      where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = p_workspace)) and (s.until is null or s.until > p_now)
        and (s.channel = '' or s.channel = p_outward) order by s.until desc nulls first limit 1;
    -- A run that is parked without an end is released when the freezes of sends are over; those of other channels are looked at again.
    if found then reason := 'send_freeze'; until := coalesce(z.until, p_now + 600000); return; end if;
    -- A restored database knows less than what was pushed: nothing leaves before the comparison for this start of the server.
    if exists (select 1 from restore_guard g where g.checked_start is not null and g.checked_start <> pg_postmaster_start_time()) then
      reason := 'send_freeze'; until := p_now + 5000; return;
    end if;
    -- Whom nobody may contact is not handed to another platform that would.
    if p_outward = 'outreach' and exists (select 1 from app.suppressed_leads(p_workspace, p_campaign, array[p_lead], p_now)) then
      reason := 'suppressed';
    end if;
  end $$;

-- Claims calls of locked runs. p_requests: [{runId, callId, holdId, nodeId, nodeType, onceKey, repeatable, outward, integrationId, url, credits, action}].
-- refusal: gone, send_freeze, suppressed, rehearsal, no_integration, credits, seen (call_id: the settled or unknown call that has the
-- key), busy (a call of another run with this key is under way).
create function app.claim_calls(p_now bigint, p_requests jsonb) returns table (run_id uuid, call_id uuid, granted boolean, refusal text, next_at bigint, tries int)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    u record;
    c record;
    s record;
    h record;
    id uuid;
    target text;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    for r in select * from jsonb_to_recordset(p_requests) as q ("runId" uuid, "callId" uuid, "holdId" uuid, "nodeId" text, "nodeType" text,
        "onceKey" text, repeatable boolean, outward text, "integrationId" text, url text, credits int, action text) order by q."onceKey" loop
      run_id := r."runId"; call_id := null; granted := false; refusal := null; next_at := null; tries := 1;
      select * into u from run x where x.id = r."runId" and x.workspace_id = ws and x.ended_at is null and x.state <> 'paused';
      if not found then refusal := 'gone'; return next; continue; end if;
      select * into s from app.call_stop(ws, u.campaign_id, u.workflow_id, u.id, u.lead_id, r.outward, p_now);
      if s.reason is not null then refusal := s.reason; next_at := s.until; return next; continue; end if;
      target := r.url;
      if r."integrationId" is not null then
        select i.url into target from integration i where i.id = r."integrationId" and i.workspace_id = ws and i.kind = r.outward and i.deleted_at is null and i.status <> 'paused';
        if not found then refusal := 'no_integration'; return next; continue; end if;
      end if;
      -- A rehearsal (a clock that ran ahead) reaches nobody but the sandbox of its own machine.
      if r.outward is not null and coalesce(target, '') !~ '^https?://(127\.0\.0\.1|localhost|\[::1\])(:|/|$)' and exists (select 1 from installation i where i.rehearsal) then
        refusal := 'rehearsal'; return next; continue;
      end if;
      insert into node_call (id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, once_key, repeatable, outward, state, epoch, action, claimed_at)
        values (r."callId", ws, u.workflow_id, u.campaign_id, u.id, r."nodeId", r."nodeType", u.lead_id, r."onceKey", r.repeatable, r.outward, 'claimed', app.claim_epoch(), r.action, p_now)
        on conflict (workspace_id, once_key) where once_key is not null do nothing;
      id := r."callId";
      if not found then
        select * into c from node_call x where x.workspace_id = ws and x.once_key = r."onceKey" for update;
        -- An attempt that proved to have done nothing, or that an ended executor or run left behind, is taken up.
        if c.state in ('settled', 'unknown') then call_id := c.id; refusal := 'seen'; return next; continue; end if;
        if c.state = 'dispatched' or (c.run_id <> u.id and exists (select 1 from run o where o.id = c.run_id and o.send_id = c.id and o.ended_at is null)) then
          refusal := 'busy'; return next; continue;
        end if;
        if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'tried anew'); end if;
        update node_call x set run_id = u.id, node_id = r."nodeId", workflow_id = u.workflow_id, campaign_id = u.campaign_id, epoch = app.claim_epoch(),
            tries = x.tries + 1, credit_hold_id = null where x.id = c.id;
        id := c.id;
        tries := c.tries + 1;
      end if;
      if r.credits > 0 then
        select * into h from app.hold_credits(r."holdId", ws, r.credits, r.action, null, u.id, u.campaign_id, null,
          'call:' || id || ':' || r."holdId", id::text, p_now, 1800, 604800);
        if h.outcome <> 'held' then
          delete from node_call x where x.id = id;
          refusal := 'credits'; return next; continue;
        end if;
        update node_call x set credit_hold_id = r."holdId" where x.id = id;
      end if;
      call_id := id; granted := true;
      return next;
    end loop;
  end $$;

-- The last check before the request leaves. What may not go is cancelled: its key and its credits are back.
create function app.dispatch_calls(p_now bigint, p_calls uuid[]) returns table (call_id uuid, dispatched boolean, sequence bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    c record;
    u record;
    s record;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run x where x.id in (select n.run_id from node_call n where n.id = any (p_calls) and n.workspace_id = ws) order by x.id for no key update;
    for c in select * from node_call n where n.id = any (p_calls) and n.workspace_id = ws order by n.id for update loop
      call_id := c.id; dispatched := false; sequence := c.sequence;
      select * into u from run x where x.id = c.run_id;
      select * into s from app.call_stop(ws, c.campaign_id, c.workflow_id, c.run_id, c.lead_id, c.outward, p_now);
      if c.state = 'claimed' and c.epoch = app.claim_epoch() and u.send_id = c.id and u.ended_at is null and u.state not in ('paused', 'replied') and s.reason is null then
        if c.outward = 'webhook' and c.sequence is null then
          insert into webhook_sequence as w (workspace_id, last) values (ws, 1)
            on conflict (workspace_id) do update set last = w.last + 1 returning w.last into sequence;
        end if;
        update node_call n set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp(), sequence = dispatch_calls.sequence where n.id = c.id;
        dispatched := true;
      elsif c.state = 'claimed' then
        if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'cancelled before the call'); end if;
        update node_call n set state = 'settled', outcome = 'cancelled', once_key = null, settled_at = p_now where n.id = c.id;
        update run x set due_at = p_now where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
      end if;
      return next;
    end loop;
  end $$;

-- What became of calls. p_results: [{callId, result, outcome, data, ref, error, credits, keepKey, retryAt, waitReason, settleAfterMs}].
-- result: settled; retry (proven that nothing was done; again at retryAt); unknown (a lost answer of a call that must not be
-- repeated blindly); not_found (a look-up of an unknown one: two that agree, after settleAfterMs of real time, prove it).
create function app.settle_calls(p_now bigint, p_results jsonb) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    r record;
    c record;
    spent bigint;
    due bigint;
    changed int := 0;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run x where x.id in (select n.run_id from node_call n join jsonb_to_recordset(p_results) as q ("callId" uuid) on n.id = q."callId") order by x.id for no key update;
    for r in select * from jsonb_to_recordset(p_results) as q ("callId" uuid, result text, outcome text, data jsonb, ref text, error text, credits int,
        "keepKey" boolean, "retryAt" bigint, "waitReason" text, "settleAfterMs" float8) order by q."callId" loop
      select * into c from node_call n where n.id = r."callId" and n.workspace_id = ws and n.state <> 'settled' for update;
      continue when not found;
      changed := changed + 1;
      spent := 0;
      if r.result = 'settled' then
        if c.credit_hold_id is not null and coalesce(r.credits, 0) > 0 then
          select case when t.outcome in ('settled', 'seen') then t.spent else 0 end into spent from app.settle_hold(c.credit_hold_id, r.credits, p_now) t;
        elsif c.credit_hold_id is not null then
          perform app.release_hold(c.credit_hold_id, p_now, 'nothing was delivered');
        end if;
        update node_call n set state = 'settled', outcome = r.outcome, result = coalesce(r.data, '{}'), ref = coalesce(r.ref, n.ref), error = r.error, credits = spent,
            settled_at = p_now, once_key = case when r.outcome = 'failed' and not coalesce(r."keepKey", false) then null else n.once_key end where n.id = c.id;
        due := p_now;
      elsif r.result = 'retry' then
        if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'tried again later'); end if;
        update node_call n set state = 'claimed', credit_hold_id = null, error = r.error where n.id = c.id;
        due := greatest(p_now + 1, coalesce(r."retryAt", p_now + 60000));
      elsif r.result = 'unknown' then
        update node_call n set state = 'unknown', not_found = 0, error = r.error where n.id = c.id;
        due := p_now + 60000;
      else
        update node_call n set not_found = n.not_found + case when n.dispatched_real + make_interval(secs => coalesce(r."settleAfterMs", 0) / 1000) <= clock_timestamp() then 1 else 0 end
          where n.id = c.id and n.state = 'unknown';
        update node_call n set state = 'claimed', epoch = app.claim_epoch(), not_found = 0 where n.id = c.id and n.not_found >= 2;
        due := case when found then p_now else p_now + 60000 end;
      end if;
      update run x set due_at = due, wait_reason = case when r.result in ('unknown', 'not_found') then 'unknown_outcome' else coalesce(r."waitReason", x.wait_reason) end
        where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
    end loop;
    return changed;
  end $$;

-- After a takeover: what older epochs left open. A question is asked again; a push whose answer is lost is
-- looked up. What no run waits for any more is cancelled, unless it may have left: then its key stays.
create function app.recover_calls(p_now bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    c record;
    open int := 0;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    for c in select n.* from node_call n where n.workspace_id = ws and n.state in ('claimed', 'dispatched') and n.epoch < app.claim_epoch() order by n.id for update loop
      open := open + 1;
      if c.credit_hold_id is not null then perform app.release_hold(c.credit_hold_id, p_now, 'the executor ended'); end if;
      if (c.state = 'claimed' or c.repeatable) and not exists (select 1 from run x where x.id = c.run_id and x.send_id = c.id and x.ended_at is null) then
        update node_call n set credit_hold_id = null, state = 'settled', outcome = 'cancelled', once_key = null, settled_at = p_now where n.id = c.id;
        continue;
      end if;
      update node_call n set credit_hold_id = null, epoch = app.claim_epoch(),
          state = case when c.state = 'dispatched' and not c.repeatable then 'unknown' else 'claimed' end,
          error = 'the executor ended before the answer' where n.id = c.id;
      update run x set due_at = p_now where x.id = c.run_id and x.send_id = c.id and x.ended_at is null and x.state not in ('paused', 'replied');
    end loop;
    return open;
  end $$;

-- Puts found fields into a lead of the caller's workspace or of the shared pool, with where they come from. An address or
-- profile that another lead has already is left out. Returns the fields that were written.
create function app.enrich_lead(p_lead uuid, p_found jsonb, p_source text, p_now bigint) returns text[]
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    l record;
    f jsonb := p_found;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select * into l from lead x where x.id = p_lead and x.erased_at is null and (x.workspace_id is null or x.workspace_id = ws) for update;
    if not found then return '{}'; end if;
    if f ? 'email' and exists (select 1 from lead o where coalesce(o.workspace_id, '') = coalesce(l.workspace_id, '') and lower(o.email) = lower(f ->> 'email')
        and o.id <> l.id and o.erased_at is null) then f := f - 'email' - 'emailStatus'; end if;
    -- Nor an address of somebody who was erased here.
    if f ? 'email' and exists (select 1 from erasure_tombstone t where t.workspace_id = ws and t.hash = app.erasure_hash(ws, 'mail:' || app.mail_identity(f ->> 'email')))
      then f := f - 'email' - 'emailStatus'; end if;
    if f = '{}' then return '{}'; end if;
    update lead x set
        title = coalesce(f ->> 'title', x.title), headline = coalesce(f ->> 'headline', x.headline), seniority = coalesce(f ->> 'seniority', x.seniority),
        industry = coalesce(f ->> 'industry', x.industry), location = coalesce(f ->> 'location', x.location), country = coalesce(f ->> 'country', x.country),
        email = coalesce(f ->> 'email', x.email), email_status = coalesce(f ->> 'emailStatus', x.email_status), phone = coalesce(f ->> 'phone', x.phone),
        provenance = x.provenance || (select coalesce(jsonb_object_agg(k, jsonb_build_object('source', p_source, 'at', p_now)), '{}') from jsonb_object_keys(f) k),
        updated_at = p_now
      where x.id = p_lead;
    perform app.resolve_persons(array[p_lead], p_now);
    update icp set scores_stale = true where workspace_id = ws and not scores_stale;
    return (select array_agg(k) from jsonb_object_keys(f) k);
  exception when unique_violation then
    -- Somebody entered the same address at the same moment.
    return '{}';
  end $$;

-- Tells members of the caller's workspace; the same origin tells each of them once.
-- p_rows: [{members: [user or member id], title, text, data, nextTool, kind, origin}].
create function app.notify_members(p_now bigint, p_rows jsonb) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    told int;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into notification (id, workspace_id, user_id, kind, title, text, data, next_tool, origin, created_at)
      select gen_random_uuid(), ws, m.user_id, q.kind, q.title, q.text, coalesce(q.data, '{}'), q."nextTool", q.origin, p_now
      from jsonb_to_recordset(p_rows) as q (members text[], title text, text text, data jsonb, "nextTool" text, kind text, origin text)
        join member m on m.workspace_id = ws and (m.user_id::text = any (q.members) or m.id::text = any (q.members))
      on conflict do nothing;
    get diagnostics told = row_count;
    return told;
  end $$;

-- What a delivery through an integration did to its health.
create function app.note_delivery(p_integration text, p_error text, p_needs_auth boolean, p_now bigint) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    update integration i set last_delivery_at = case when p_error is null then p_now else i.last_delivery_at end,
        failures_in_row = case when p_error is null then 0 else i.failures_in_row + 1 end, last_error = p_error,
        status = case when p_error is null then case when i.status = 'paused' then i.status else 'connected' end when p_needs_auth then 'needs_auth' else i.status end
      where i.id = p_integration and i.workspace_id = app.workspace();
  end $$;

do $$
declare f text;
begin
  foreach f in array array['call_stop(text, text, text, uuid, uuid, text, bigint)', 'claim_calls(bigint, jsonb)', 'dispatch_calls(bigint, uuid[])', 'settle_calls(bigint, jsonb)',
    'recover_calls(bigint)', 'enrich_lead(uuid, jsonb, text, bigint)', 'notify_members(bigint, jsonb)', 'note_delivery(text, text, boolean, bigint)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.claim_calls(bigint, jsonb), app.dispatch_calls(bigint, uuid[]), app.settle_calls(bigint, jsonb), app.recover_calls(bigint),
  app.enrich_lead(uuid, jsonb, text, bigint), app.notify_members(bigint, jsonb), app.note_delivery(text, text, boolean, bigint) to outrider_executor;
