-- Mailboxes: accounts of their own kind, so that budgets, pacing, claims, freezes and sync are those of every account.
set local search_path = outrider, app, public;

alter table outrider.network_account add column kind text not null default 'network' check (kind in ('network', 'mail'));
alter table outrider.network_account drop constraint network_account_provider_check;
alter table outrider.network_account add constraint network_account_provider_check check (provider in ('sandbox', 'unipile', 'smtp'));

create table outrider.mailbox (
  account_id text primary key references outrider.network_account (id),
  address text not null,
  smtp_host text not null,
  smtp_port int not null check (smtp_port between 1 and 65535),
  smtp_tls text not null check (smtp_tls in ('implicit', 'starttls', 'none')),
  imap_host text not null,
  imap_port int not null check (imap_port between 1 and 65535),
  imap_tls text not null check (imap_tls in ('implicit', 'starttls', 'none')),
  username text not null,
  sealed bytea,                             -- the password, sealed with the installation's key for this account
  saves_sent boolean not null default false, -- the server itself keeps a copy of what it sends: "not found" there proves something
  sent_folder text not null default 'Sent',
  min_gap_ms bigint not null default 300000 check (min_gap_ms >= 0),
  pause_at_bounce_rate real not null default 0.03,
  pause_at_complaint_rate real not null default 0.001,
  min_sample int not null default 50,
  pause_reason text not null default ''
);

-- What came back about mails that were sent: bounces and complaints, each once.
create table outrider.mail_report (
  account_id text not null references outrider.network_account (id),
  external_id text not null,                -- Message-ID of the report
  kind text not null check (kind in ('hard_bounce', 'soft_bounce', 'complaint')),
  send_id uuid,
  address text not null,
  reason text not null default '',
  at bigint not null,
  primary key (account_id, external_id)
);
create index mail_report_address on outrider.mail_report (address, at);

-- One per mail: whoever has it may stop this workspace's mails to the person. Only the hash is kept.
create table outrider.unsubscribe_token (
  token_hash bytea primary key,
  workspace_id text not null,
  person_id uuid not null,
  account_id text not null,
  created_at bigint not null,
  used_at bigint
);

do $$
declare name text;
begin
  foreach name in array array['mailbox', 'mail_report', 'unsubscribe_token'] loop
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', name);
    execute format('create policy definer_all on outrider.%I to outrider_definer using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on outrider.%I to outrider_definer', name);
  end loop;
  foreach name in array array['mailbox', 'mail_report'] loop
    execute format('create policy app_linked on outrider.%I to outrider_app using (account_id in (select app.linked_accounts()) or (select app.is_platform())) with check ((select app.is_platform()) or account_id in (select app.linked_accounts()))', name);
    execute format('create policy executor_linked on outrider.%I for select to outrider_executor using (account_id in (select app.linked_accounts()))', name);
    execute format('grant select, insert, update on outrider.%I to outrider_app', name);
    execute format('grant select on outrider.%I to outrider_executor', name);
  end loop;
end $$;
create policy app_visible on outrider.unsubscribe_token to outrider_app
  using ((select app.is_platform()) or workspace_id = any ((select app.workspaces())::text[])) with check ((select app.is_platform()) or workspace_id = any ((select app.workspaces())::text[]));
create policy executor_claim on outrider.unsubscribe_token for insert to outrider_executor with check (workspace_id = (select app.workspace()));
grant select, insert, update on outrider.unsubscribe_token to outrider_app;
grant insert on outrider.unsubscribe_token to outrider_executor;

-- Freezes bind by the account's channel. One of mail alone, without an end, is asked again soon: runs that stand at a mail are
-- not told apart from others while they are parked.
create or replace function app.stops_of(p_workspace text, p_campaigns text[], p_workflows text[], p_accounts text[], p_now bigint)
  returns table (campaign_id text, workflow_id text, account_id text, reason text, until bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with d as materialized (select * from unnest(p_campaigns, p_workflows, p_accounts) as d (campaign_id, workflow_id, account_id)),
    flows as materialized (select g.*, app.flow_stop(p_workspace, g.campaign_id, g.workflow_id) as stop from (select distinct d.campaign_id, d.workflow_id from d) g),
    guards as materialized (select k.account_id, app.is_guarded(k.account_id) as guarded, app.is_rehearsed(k.account_id) as rehearsed from (select distinct d.account_id from d) k)
    select d.campaign_id, d.workflow_id, d.account_id,
      case when f.stop is not null then f.stop when z.frozen or not g.guarded then 'send_freeze'
        when g.rehearsed or a.status <> 'ok' or a.paused or coalesce(a.cooldown_until, 0) > p_now or l.account_id is null then 'account_unhealthy' end,
      case when f.stop is not null then null when z.frozen then coalesce(z.until, case when z.channel = 'mail' then p_now + 900000 end) when not g.guarded then p_now + 5000
        when not g.rehearsed and a.status = 'ok' and not a.paused and a.cooldown_until > p_now then a.cooldown_until end
    from d join flows f on f.campaign_id = d.campaign_id and f.workflow_id = d.workflow_id
      join guards g on g.account_id = d.account_id
      left join network_account a on a.id = d.account_id
      left join account_link l on l.account_id = d.account_id and l.workspace_id = p_workspace
      left join lateral (select true as frozen, s.until, s.channel from send_freeze s
        where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = p_workspace) or (s.scope = 'account' and s.target = d.account_id))
          and s.channel in ('', coalesce(a.kind, 'network')) and (s.until is null or s.until > p_now)
        order by s.until desc nulls first, s.channel limit 1) z on true
  $$;

-- As before, and a mailbox keeps its own smallest gap.
create or replace function app.log_contacts(p_now bigint, p_sends uuid[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if p_sends is null then return; end if;
    insert into contact_log as g (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
      select s.person_id, s.workspace_id, s.campaign_id, s.workflow_id, min(s.account_id), p_now, count(*)::int
      from send s where s.id = any (p_sends) and app.is_heavy(s.action) group by 1, 2, 3, 4
      on conflict (person_id, workflow_id) do update set last_at = excluded.last_at, touches = g.touches + excluded.touches, account_id = excluded.account_id;
    update network_account a set last_action_at = p_now, first_send_at = coalesce(a.first_send_at, p_now)
      where a.id in (select s.account_id from send s where s.id = any (p_sends));
    update account_pacing p set heavy_free_at = greatest(p.heavy_free_at, p_now + m.min_gap_ms)
      from mailbox m where m.account_id = p.account_id and p.account_id in (select s.account_id from send s where s.id = any (p_sends) and s.action = 'mail');
    insert into account_wake as w (account_id, due_at)
      select distinct s.account_id, p_now + 900000 from send s where s.id = any (p_sends) and app.is_heavy(s.action)
      on conflict (account_id) do update set due_at = excluded.due_at where w.due_at > excluded.due_at;
    insert into lead_overlay as o (workspace_id, lead_id, last_contacted_at)
      select distinct s.workspace_id, s.lead_id, p_now from send s where s.id = any (p_sends) and app.is_heavy(s.action)
      on conflict (workspace_id, lead_id) do update set last_contacted_at = excluded.last_contacted_at;
  end $$;

-- What the wish of a person (unsubscribe) or of their provider (complaint) stops at once in one workspace: whatever channel.
create function app.opt_out(p_now bigint, p_workspace text, p_person uuid, p_source text, p_by text) returns int
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    runs uuid[];
    sends uuid[];
  begin
    if not app.may_use(p_workspace) and not exists (select 1 from account_link l where l.workspace_id = p_workspace and l.account_id = app.account()) then return 0; end if;
    insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
      select gen_random_uuid(), p_workspace, 'workspace', 'person', p_person::text, p_person, p_source,
        case p_source when 'complaint' then 'reported a mail as unwanted' else 'asked to stop' end, false, p_by, p_now
      where not exists (select 1 from suppression s where s.workspace_id = p_workspace and s.person_id = p_person and s.source = p_source);
    select array_agg(x.id) into runs from (
      select r.id from run r where r.person_id = p_person and r.workspace_id = p_workspace and r.ended_at is null order by r.id for no key update) x;
    if runs is null then return 0; end if;
    select array_agg(s.id) into sends from send s where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      select p_workspace, r.id, p_now, case p_source when 'complaint' then 'mail.complained' else 'unsubscribe.received' end, r.node_id, 'lead', '', jsonb_build_object('by', p_by)
      from run r where r.id = any (runs);
    update run r set state = 'suppressed', ended_at = p_now, end_reason = case p_source when 'complaint' then 'complained' else 'unsubscribed' end, due_at = null, wait_reason = null,
        send_id = case when r.send_id = any (sends) then null else r.send_id end
      where r.id = any (runs);
    return cardinality(runs);
  end $$;

-- The address of a mail: stops the workspace's mails and messages to the person. False when nobody gave this token out.
create function app.unsubscribe(p_now bigint, p_token_hash bytea) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare t record;
  begin
    update unsubscribe_token set used_at = coalesce(used_at, p_now) where token_hash = p_token_hash returning * into t;
    if not found or not app.is_platform() then return false; end if;
    perform app.opt_out(p_now, t.workspace_id, t.person_id, 'unsubscribe', 'unsubscribe link');
    return true;
  end $$;

-- Which of these mails answer ours: by the Message-IDs that they name, else the sender's address, else the domain of the lead
-- with our subject. p_mails: [{uid, sendIds[], from, domain, subject}]; domain null: a free-mail provider, which says nothing.
create function app.match_mails(p_account text, p_mails jsonb) returns table (uid bigint, send_id uuid, person_id uuid)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with q as (select * from jsonb_to_recordset(p_mails) as j (uid bigint, "sendIds" uuid[], "from" text, domain text, subject text)),
    s as materialized (
      select s.id, s.person_id, s.dispatched_at, lower(s.target ->> 'to') as addressee, lower(s.target ->> 'subject') as subject
      from send s where s.account_id = p_account and s.action = 'mail' and s.dispatched_at is not null and app.may_use_account(p_account)
    ),
    hits as (
      select q.uid, s.id, s.person_id, 1 as rank, s.dispatched_at from q join s on s.id = any (q."sendIds")
      union all select q.uid, s.id, s.person_id, 2, s.dispatched_at from q join s on s.addressee = q."from"
      union all select q.uid, s.id, s.person_id, 3, s.dispatched_at from q join s on q.domain is not null and split_part(s.addressee, '@', 2) = q.domain
        and q.subject <> '' and regexp_replace(s.subject, '^(re:\s*)+', '') = q.subject
        and (select count(distinct o.person_id) from s o where split_part(o.addressee, '@', 2) = q.domain and regexp_replace(o.subject, '^(re:\s*)+', '') = q.subject) = 1
    )
    select distinct on (hits.uid) hits.uid, hits.id, hits.person_id from hits order by hits.uid, hits.rank, hits.dispatched_at desc
  $$;

-- A mail came back, or its reader complained. A hard bounce (or the third soft one) bars the address for mail in every workspace
-- of the mailbox; other channels go on. A complaint ends everything. False when this report is known.
create function app.record_mail_report(p_now bigint, p_account text, p_external text, p_kind text, p_send uuid, p_address text, p_reason text, p_at bigint) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    s record;
    barred boolean;
    sends uuid[];
  begin
    if app.account() is distinct from p_account then return false; end if;
    insert into mail_report (account_id, external_id, kind, send_id, address, reason, at) values (p_account, p_external, p_kind, p_send, lower(p_address), left(p_reason, 500), p_at)
      on conflict do nothing;
    if not found then return false; end if;
    select * into s from send where id = p_send and account_id = p_account;
    if p_kind = 'complaint' then
      if s.id is not null then perform app.opt_out(p_now, s.workspace_id, s.person_id, 'complaint', 'complaint'); end if;
      return true;
    end if;
    barred := p_kind = 'hard_bounce' or (select count(*) from mail_report where address = lower(p_address) and kind = 'soft_bounce') >= 3;
    if not barred then return true; end if;
    insert into suppression (id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at)
      select gen_random_uuid(), l.workspace_id, 'workspace', 'mail', lower(p_address), 'bounce', left(p_reason, 200), true, 'account-sync', p_now
      from account_link l where l.account_id = p_account
        and not exists (select 1 from suppression x where x.workspace_id = l.workspace_id and x.kind = 'mail' and x.value = lower(p_address) and x.source = 'bounce');
    if s.id is null then return true; end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
      values (s.workspace_id, s.run_id, p_at, 'mail.bounced', s.node_id, 'lead', left(p_reason, 200), jsonb_build_object('sendId', s.id, 'kind', p_kind));
    update run r set facts = r.facts || jsonb_build_object('mailBounced', true), due_at = case when r.state = 'waiting' and r.wait_reason = 'duration' and r.send_id is null then p_now else r.due_at end
      where r.id = s.run_id and r.ended_at is null and r.state <> 'paused';
    select array_agg(c.id) into sends from send c join account_link l on l.workspace_id = c.workspace_id and l.account_id = p_account
      where c.action = 'mail' and c.state in ('planned', 'claimed') and lower(c.target ->> 'to') = lower(p_address);
    if sends is not null then
      perform app.cancel_sends(sends, p_now);
      update run set due_at = p_now where send_id = any (sends) and ended_at is null and state not in ('paused', 'replied');
    end if;
    perform app.wake_workspaces(array[s.workspace_id], p_now, 'bounce');
    return true;
  end $$;

-- Pauses a mailbox whose mails come back or are complained about too often (of the last 30 days, from a smallest sample on).
create function app.judge_mailbox(p_now bigint, p_account text) returns text
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    m record;
    sent int;
    bounced int;
    complained int;
    why text;
  begin
    if app.account() is distinct from p_account then return null; end if;
    select * into m from mailbox where account_id = p_account;
    if not found then return null; end if;
    select count(*)::int into sent from send where account_id = p_account and action = 'mail' and state = 'confirmed' and dispatched_at > p_now - 30 * 86400000::bigint;
    if sent < m.min_sample then return null; end if;
    select count(*) filter (where kind <> 'complaint')::int, count(*) filter (where kind = 'complaint')::int into bounced, complained
      from mail_report where account_id = p_account and at > p_now - 30 * 86400000::bigint;
    why := case when bounced > m.pause_at_bounce_rate * sent then format('%s of %s mails bounced', bounced, sent)
      when complained > m.pause_at_complaint_rate * sent then format('%s of %s mails were complained about', complained, sent) end;
    if why is null then return null; end if;
    update mailbox set pause_reason = why where account_id = p_account and pause_reason = '';
    if found then update network_account set paused = true where id = p_account; end if;
    return why;
  end $$;

-- Whether runs wait for news of this mailbox.
create function app.mailbox_expects(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select app.may_use_account(p_account) and exists (select 1 from send s join run r on r.id = s.run_id
      where s.account_id = p_account and s.action = 'mail' and s.dispatched_at is not null and r.ended_at is null)
  $$;

-- Mails that carry one of our Message-IDs and that the ledger does not have: it is older than what was sent.
create function app.lacking_mails(p_account text, p_sends uuid[]) returns int
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select case when app.may_use_account(p_account) then (select count(*)::int from unnest(p_sends) as x (id) where not exists (select 1 from send s where s.id = x.id)) end
  $$;

-- Addresses of the workspace to which a mail has bounced.
create function app.bounced_addresses(p_workspace text, p_addresses text[]) returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct x.value from suppression x
    where x.kind = 'mail' and x.source = 'bounce' and x.value = any (p_addresses) and x.workspace_id = p_workspace and app.may_use(p_workspace)
  $$;

do $$
declare f text;
begin
  foreach f in array array['stops_of(text, text[], text[], text[], bigint)', 'log_contacts(bigint, uuid[])', 'opt_out(bigint, text, uuid, text, text)', 'unsubscribe(bigint, bytea)', 'match_mails(text, jsonb)',
    'record_mail_report(bigint, text, text, text, uuid, text, text, bigint)', 'judge_mailbox(bigint, text)', 'mailbox_expects(text)', 'lacking_mails(text, uuid[])', 'bounced_addresses(text, text[])'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.unsubscribe(bigint, bytea) to outrider_app;
grant execute on function app.match_mails(text, jsonb), app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint), app.judge_mailbox(bigint, text),
  app.mailbox_expects(text), app.lacking_mails(text, uuid[]), app.bounced_addresses(text, text[]) to outrider_executor;
