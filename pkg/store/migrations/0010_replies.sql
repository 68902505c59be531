-- What comes back from people: replies, acceptances; and the triggers that keep promises whoever writes the row.
set local search_path = outrider, app, public;

-- Whether the caller acts for this account: account sync by its claim, an executor or tool through a linked workspace.
create function app.may_use_account(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(app.account() = p_account, false) or app.is_platform()
      or exists (select 1 from account_link l where l.account_id = p_account and app.may_use(l.workspace_id))
  $$;

create function app.wake_workspaces(p_workspaces text[], p_due bigint, p_reason text) returns void
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
    insert into workspace_wake as w (workspace_id, due_at, reason) select distinct x, p_due, p_reason from unnest(p_workspaces) x where x is not null order by 1
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason where w.due_at > excluded.due_at
  $$;

-- A reply stops what is planned for the person in every workspace of the account, in this one transaction: claimed sends and
-- drafts are cancelled, runs become `replied` (out of office: until p_resume_at), "stop" suppresses. Returns touched runs.
-- p_at: when the person wrote (product time); a reply that is already known changes nothing.
create function app.record_reply(p_now bigint, p_account text, p_person uuid, p_at bigint, p_class text, p_resume_at bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    sends uuid[];
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    select array_agg(x.id) into runs from (
      select r.id from run r where r.person_id = p_person and r.ended_at is null and coalesce((r.facts ->> 'lastReplyAt')::bigint, 0) < p_at
        and r.started_at <= p_at and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account)
      order by r.id for no key update) x;
    insert into lead_overlay as o (workspace_id, lead_id, last_replied_at)
      select distinct r.workspace_id, r.lead_id, p_at from run r where r.id = any (runs)
      on conflict (workspace_id, lead_id) do update set last_replied_at = greatest(o.last_replied_at, excluded.last_replied_at);
    if p_class = 'unsubscribe' then
      insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
        select gen_random_uuid(), l.workspace_id, 'workspace', 'person', p_person::text, p_person, 'unsubscribe', 'asked to stop', false, 'account-sync', p_now
        from account_link l where l.account_id = p_account
          and not exists (select 1 from suppression s where s.workspace_id = l.workspace_id and s.person_id = p_person and s.source = 'unsubscribe');
    end if;
    if runs is null then return 0; end if;
    select array_agg(s.id) into sends from send s where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    update review_item set state = 'cancelled', reason = 'the lead replied', decided_at = p_now, decided_by = 'engine' where run_id = any (runs) and state in ('pending', 'approved');
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select r.workspace_id, r.id, p_at, 'reply.received', r.node_id, 'lead', '', jsonb_build_object('class', p_class, 'networkAccountId', p_account) from run r where r.id = any (runs);
    update run r set
        facts = r.facts || jsonb_build_object('replied', true, 'replyClass', p_class, 'lastReplyAt', p_at, 'connected', true),
        state = case when r.state = 'paused' then r.state when p_class = 'unsubscribe' then 'suppressed' else 'replied' end,
        wait_reason = case when p_class = 'out_of_office' then 'until_time' end,
        due_at = case when r.state = 'paused' or p_class = 'unsubscribe' then null when p_class = 'out_of_office' then coalesce(p_resume_at, p_now + 604800000) else p_now end,
        ended_at = case when p_class = 'unsubscribe' then p_now end,
        end_reason = case when p_class = 'unsubscribe' then 'unsubscribed' end,
        send_id = case when r.send_id = any (sends) then null else r.send_id end
      where r.id = any (runs);
    -- stopCompanyOnReply: colleagues in the same campaign are left alone too.
    update run r set state = 'stopped', ended_at = p_now, end_reason = 'a colleague replied', due_at = null, wait_reason = null
      from run u join campaign c on c.id = u.campaign_id join lead l on l.id = u.lead_id
        join lead l2 on l2.company_key = l.company_key and l2.company_key <> '' and l2.id <> l.id
      where u.id = any (runs) and (c.settings -> 'contactPolicy' ->> 'stopCompanyOnReply')::boolean and p_class <> 'out_of_office'
        and r.campaign_id = u.campaign_id and r.lead_id = l2.id and r.ended_at is null and not r.id = any (runs);
    perform app.wake_workspaces((select array_agg(r.workspace_id) from run r where r.id = any (runs) and r.ended_at is null), p_now, 'reply');
    return cardinality(runs);
  end $$;

-- The person accepted (or was found connected): the relation is known to all workspaces of the account and waiting runs look again.
create function app.record_acceptance(p_now bigint, p_account text, p_person uuid, p_provider_id text, p_at bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare runs uuid[];
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    insert into relation as r (account_id, person_id, provider_id, state, connected_at) values (p_account, p_person, p_provider_id, 'connected', p_at)
      on conflict (account_id, person_id) do update set state = 'connected', connected_at = coalesce(r.connected_at, excluded.connected_at),
        provider_id = coalesce(excluded.provider_id, r.provider_id), invitation_id = null
      where r.state <> 'connected';
    if not found then return 0; end if;
    select array_agg(x.id) into runs from (
      select r.id from run r where r.person_id = p_person and r.ended_at is null and r.account_id = p_account
        and r.workspace_id in (select l.workspace_id from account_link l where l.account_id = p_account) order by r.id for no key update) x;
    if runs is null then return 0; end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select r.workspace_id, r.id, p_at, 'connection.accepted', r.node_id, 'lead', '', jsonb_build_object('networkAccountId', p_account) from run r where r.id = any (runs);
    update run r set facts = r.facts || jsonb_build_object('connected', true, 'connectedAt', p_at),
        due_at = case when r.state = 'waiting' and r.wait_reason = 'duration' and r.send_id is null then p_now else r.due_at end
      where r.id = any (runs);
    perform app.wake_workspaces((select array_agg(distinct r.workspace_id) from run r where r.id = any (runs)), p_now, 'acceptance');
    return cardinality(runs);
  end $$;

-- What a profile look-up said of the relation; never takes a connection back (only account sync may).
create function app.note_relation(p_now bigint, p_account text, p_person uuid, p_provider_id text, p_state text) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use_account(p_account) then return; end if;
    if p_state = 'connected' then perform app.record_acceptance(p_now, p_account, p_person, p_provider_id, p_now); end if;
    insert into relation as r (account_id, person_id, provider_id, state, requested_at)
      values (p_account, p_person, p_provider_id, p_state, case when p_state = 'pending' then p_now end)
      on conflict (account_id, person_id) do update set provider_id = coalesce(excluded.provider_id, r.provider_id),
        state = case when r.state = 'none' then excluded.state else r.state end, requested_at = coalesce(r.requested_at, excluded.requested_at);
  end $$;

-- A pending request that is gone without a connection (declined, withdrawn by hand, expired).
create function app.request_gone(p_account text, p_persons uuid[]) returns void
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
    update relation set state = 'none', invitation_id = null, requested_at = null
      where account_id = p_account and person_id = any (p_persons) and state = 'pending' and app.account() = p_account
  $$;

-- Called by an executor that found nothing due: lets parked runs go on whose stop is over, and leaves the exact wake time.
-- Before the wake row is changed it is locked and the next due time read again, so that work made meanwhile is never lost.
create function app.rest(p_now bigint, out next_due bigint, out unparked int, out open_sends int, out unknown_sends int, out next_lookup_ms float8)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    kept bigint;
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    unparked := 0;
    if exists (select 1 from run where workspace_id = ws and due_at is null and wait_reason = 'send_freeze' and ended_at is null) then
      update run r set due_at = p_now
        from (select w.id from workflow w where w.workspace_id = ws and app.flow_stop(ws, w.campaign_id, w.id) is null) f
        where r.workspace_id = ws and r.workflow_id = f.id and r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null and r.state <> 'paused'
          and not exists (select 1 from hold h where h.kind = 'run' and h.id = r.id::text)
          and not exists (select 1 from send_freeze z where z.channel in ('', 'network') and (z.until is null or z.until > p_now)
            and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = ws) or (z.scope = 'account' and z.target = r.account_id)));
      get diagnostics unparked = row_count;
    end if;
    select count(*) filter (where state <> 'unknown'), count(*) filter (where state = 'unknown' and not maybe),
        extract(epoch from min(lookup_after) filter (where state = 'unknown' and not maybe) - clock_timestamp()) * 1000
      into open_sends, unknown_sends, next_lookup_ms from send where workspace_id = ws and state in ('claimed', 'dispatched', 'unknown');
    next_due := app.next_due(ws);
    select due_at into kept from workspace_wake where workspace_id = ws;
    if kept is not distinct from next_due then return; end if;
    perform 1 from workspace_wake where workspace_id = ws for update;
    next_due := app.next_due(ws);
    if next_due is null then delete from workspace_wake where workspace_id = ws; return; end if;
    insert into workspace_wake (workspace_id, due_at, reason) values (ws, next_due, 'next')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason;
  end $$;

-- When a workspace has work next: a due run, or a source whose next day begins.
create function app.next_due(p_workspace text) returns bigint
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
    select least((select min(due_at) from run where workspace_id = p_workspace and due_at is not null),
      (select min(s.next_at) from source_feed s join workflow w on w.id = s.workflow_id
       where s.workspace_id = p_workspace and app.flow_stop(p_workspace, w.campaign_id, w.id) is null))
  $$;

-- Persons behind profile ids, for account sync: only those whom a linked workspace deals with.
create function app.persons_of(p_account text, p_profiles text[]) returns table (profile_id text, person_id uuid)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select a.value, a.person_id from person_alias a
    where a.kind = 'profile' and a.value = any (p_profiles) and app.may_use_account(p_account)
      and (exists (select 1 from run r join account_link l on l.workspace_id = r.workspace_id and l.account_id = p_account where r.person_id = a.person_id)
        or exists (select 1 from contact_log g where g.person_id = a.person_id and g.account_id = p_account))
  $$;

-- Which of these messages of the account are ours: provider reference -> run.
create function app.own_messages(p_account text, p_refs text[]) returns table (ref text, run_id uuid)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select s.provider_ref, s.run_id from send s where s.account_id = p_account and s.provider_ref = any (p_refs) and app.may_use_account(p_account)
  $$;

-- Whether runs wait for news of this account (acceptance, reply); decides how soon the account is looked at again.
create function app.account_expects(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select app.may_use_account(p_account) and exists (select 1 from run r where r.account_id = p_account and r.ended_at is null and (r.facts ? 'lastTouchAt' or r.facts ? 'requestedAt'))
  $$;

-- A person decides about a send whose outcome could not be found out.
-- mark_done and mark_not_done need a platform admin; discard and lookup also the workspace. Returns the new state or a refusal.
create function app.resolve_send(p_send uuid, p_resolution text, p_now bigint, p_who text, p_reason text) returns text
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare s record;
  begin
    select * into s from send where id = p_send and dead_letter_at is not null for update;
    if not found or not app.may_use(s.workspace_id) then return 'not_found'; end if;
    if p_resolution in ('mark_done', 'mark_not_done', 'retry') and not app.is_platform() then return 'forbidden'; end if;
    update send set evidence = evidence || jsonb_build_array(jsonb_build_object('at', p_now, 'what', p_resolution, 'by', p_who, 'text', p_reason)) where id = p_send;
    if p_resolution = 'lookup' then
      if s.state <> 'unknown' then return s.state; end if;
      update send set lookup_after = clock_timestamp(), dead_letter_state = 'open' where id = p_send;
    elsif p_resolution = 'mark_done' then
      update send set state = 'confirmed', settled_at = p_now, dead_letter_state = 'resolved' where id = p_send;
    elsif p_resolution = 'mark_not_done' then
      update send set state = 'failed', outcome = 'failed', settled_at = p_now, dead_letter_state = 'resolved' where id = p_send;
      if s.state <> 'failed' then perform app.undo_contacts(array[p_send]); end if;
    elsif p_resolution = 'retry' then
      if s.state = 'unknown' then return 'outcome_unknown'; end if;
      update run set send_id = null, state = 'waiting', ended_at = null, end_reason = null, due_at = p_now, wait_reason = 'duration'
        where id = s.run_id and node_id = s.node_id and s.state = 'failed';
    elsif p_resolution = 'discard' then
      update send set dead_letter_state = 'discarded' where id = p_send;
      update run set state = 'stopped', ended_at = p_now, end_reason = 'dead_letter_discarded', due_at = null where id = s.run_id and send_id = p_send and ended_at is null;
    end if;
    update run set due_at = p_now where id = s.run_id and send_id = p_send and ended_at is null;
    perform app.wake_workspaces(array[s.workspace_id], p_now, 'dead_letter');
    return (select state from send where id = p_send);
  end $$;

-- Whoever ends a run (tool, tombstone, engine): its claim is released with the cool-down of a contact, what was not
-- dispatched is undone, its drafts are cancelled.
create function app.on_runs_ended() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    ended uuid[];
    sends uuid[];
  begin
    select array_agg(n.id) into ended from new_rows n join old_rows o on o.id = n.id where n.ended_at is not null and o.ended_at is null;
    if ended is null then return null; end if;
    update contact_claim c set released_at = n.ended_at, cool_until = greatest(c.cool_until,
        (select max(g.last_at) + app.policy_days(p.settings, 'recontactAfterDays', 90)::bigint * 86400000 from contact_log g where g.person_id = n.person_id and g.workflow_id = n.workflow_id))
      from new_rows n join campaign p on p.id = n.campaign_id
      where n.id = any (ended) and c.run_id = n.id and c.released_at is null;
    select array_agg(s.id) into sends from send s join new_rows n on n.id = s.run_id where s.run_id = any (ended) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, (select max(n.ended_at) from new_rows n)); end if;
    update review_item i set state = 'cancelled', decided_at = n.ended_at, decided_by = 'engine', reason = coalesce(n.end_reason, 'the run ended')
      from new_rows n where i.run_id = n.id and n.id = any (ended) and i.state in ('pending', 'approved');
    return null;
  end $$;
create trigger runs_ended after update on outrider.run referencing old table as old_rows new table as new_rows for each statement execute function app.on_runs_ended();

-- A decided draft lets its run go on.
create function app.on_review_decided() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    update run r set due_at = coalesce(n.decided_at, 0) from new_rows n join old_rows o on o.id = n.id
      where o.state = 'pending' and n.state in ('approved', 'rejected') and r.id = n.run_id and r.state = 'in_review' and r.ended_at is null;
    if found then
      perform app.wake_workspaces((select array_agg(distinct n.workspace_id) from new_rows n), 0, 'review');
    end if;
    return null;
  end $$;
create trigger review_decided after update on outrider.review_item referencing old table as old_rows new table as new_rows for each statement execute function app.on_review_decided();

-- What lets parked runs go on wakes their workspace at once (due_at 0): enabling, activating, releasing a hold or a freeze.
create function app.wake_on_release() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    case tg_table_name
      when 'workflow' then
        if new.enabled and new.deleted_at is null and (not old.enabled or old.graph_version <> new.graph_version or old.deleted_at is not null) then
          perform app.wake_workspaces(array[new.workspace_id], 0, 'enabled');
        end if;
      when 'campaign' then
        if new.state = 'active' and old.state <> 'active' then perform app.wake_workspaces(array[new.workspace_id], 0, 'active'); end if;
      when 'workspace' then
        if new.operating_mode = 'Running' and (old.operating_mode <> 'Running' or old.deleted_at is not null) then perform app.wake_workspaces(array[new.id], 0, 'running'); end if;
      when 'hold' then perform app.wake_workspaces(array[old.workspace_id], 0, 'released');
      when 'send_freeze' then
        perform app.wake_workspaces((select array_agg(distinct r.workspace_id) from run r where r.due_at is null and r.wait_reason = 'send_freeze' and r.ended_at is null), 0, 'released');
      when 'network_account' then
        if new.status = 'ok' and not new.paused and (old.status <> 'ok' or old.paused) then
          update run set due_at = 0 where account_id = new.id and wait_reason = 'account_unhealthy' and ended_at is null and due_at is not null;
          perform app.wake_workspaces((select array_agg(l.workspace_id) from account_link l where l.account_id = new.id), 0, 'account_ok');
        end if;
    end case;
    return null;
  end $$;
create trigger wake_on_release after update on outrider.workflow for each row execute function app.wake_on_release();
create trigger wake_on_release after update on outrider.campaign for each row execute function app.wake_on_release();
create trigger wake_on_release after update on outrider.workspace for each row execute function app.wake_on_release();
create trigger wake_on_release after update on outrider.network_account for each row execute function app.wake_on_release();
create trigger wake_on_release after delete on outrider.hold for each row execute function app.wake_on_release();
create trigger wake_on_release after delete on outrider.send_freeze for each row execute function app.wake_on_release();

do $$
declare f text;
begin
  foreach f in array array['may_use_account(text)', 'wake_workspaces(text[], bigint, text)', 'record_reply(bigint, text, uuid, bigint, text, bigint)',
    'record_acceptance(bigint, text, uuid, text, bigint)', 'persons_of(text, text[])', 'note_relation(bigint, text, uuid, text, text)', 'request_gone(text, uuid[])', 'rest(bigint)', 'next_due(text)', 'own_messages(text, text[])', 'account_expects(text)', 'resolve_send(uuid, text, bigint, text, text)',
    'on_runs_ended()', 'on_review_decided()', 'wake_on_release()'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('grant execute on function app.%s to outrider_definer, outrider_owner', f);
  end loop;
end $$;
grant execute on function app.may_use_account(text), app.record_reply(bigint, text, uuid, bigint, text, bigint), app.record_acceptance(bigint, text, uuid, text, bigint),
  app.persons_of(text, text[]), app.note_relation(bigint, text, uuid, text, text), app.request_gone(text, uuid[]) to outrider_executor, outrider_app;
grant execute on function app.rest(bigint), app.own_messages(text, text[]), app.account_expects(text) to outrider_executor;
grant execute on function app.resolve_send(uuid, text, bigint, text, text) to outrider_app;
