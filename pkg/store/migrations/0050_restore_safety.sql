-- Restore safety: an epoch that is kept outside the database too, and per account the start of Postgres for which its sends were
-- compared with the provider. Nothing is dispatched while either is missing for the running server.
set local search_path = outrider, app, public;

-- The installation's side of the comparison. checked_start null: nobody guards this database (no operator ever ran on it).
create table outrider.restore_guard (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null default 0,
  system_identifier text,
  timeline int,
  checked_start timestamptz,                -- start of the server for which epoch, identifier and timeline were compared
  outside jsonb not null default '{}',      -- what each outside keeper said at the last disagreement, by keeper
  accepted jsonb not null default '{}',     -- what a reconciliation accepted of it
  reconciled_at bigint
);
insert into outrider.restore_guard default values;

create table outrider.account_guard (
  account_id text primary key references outrider.network_account (id),
  checked_start timestamptz,
  lacking int not null default 0,           -- sends that the provider shows and the ledger lacks, at the last look
  proof boolean not null default false,     -- one of them carries a text of ours
  detail text not null default ''
) with (fillfactor = 50);

-- Messages read before this start of the server are known; those read after it may be sends that a restored ledger lacks.
alter table outrider.message add column noted_start timestamptz;
alter table outrider.message alter column noted_start set default pg_postmaster_start_time();

do $$
declare name text;
begin
  foreach name in array array['restore_guard', 'account_guard'] loop
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', name);
    execute format('create policy definer_all on outrider.%I to outrider_definer using (true) with check (true)', name);
    execute format('create policy app_platform on outrider.%I to outrider_app using ((select app.is_platform())) with check ((select app.is_platform()))', name);
    execute format('grant select, insert, update, delete on outrider.%I to outrider_app, outrider_definer', name);
  end loop;
end $$;

-- Who the running server is.
create function app.server_identity(out system_identifier text, out timeline int, out started timestamptz)
  language sql stable set search_path = pg_catalog
  as $$
    select c.system_identifier::text, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int, pg_postmaster_start_time()
    from pg_control_system() c
  $$;

-- Whether this account may act on the running server: the installation was compared, and the account's sends were looked up.
create function app.is_guarded(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select g.checked_start is null or (g.checked_start = pg_postmaster_start_time()
      and exists (select 1 from account_guard a where a.account_id = p_account and a.checked_start = pg_postmaster_start_time()))
    from restore_guard g
  $$;

-- A rehearsal (a home whose clock ever ran ahead of real time) sends nothing through accounts of real providers.
create function app.is_rehearsed(p_account text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$ select exists (select 1 from installation i join network_account a on a.id = p_account and a.provider <> 'sandbox' where i.rehearsal) $$;

-- When the account's last confirmed request or message left; before the first one: when the account was connected.
create function app.last_confirmed(p_account text) returns bigint
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce((select max(s.dispatched_at) from send s where s.account_id = p_account and s.state = 'confirmed' and app.is_heavy(s.action)),
      (select a.created_at from network_account a where a.id = p_account))
  $$;

-- Accounts of the caller's workspace that were not compared since this server started, and since when to look (product time).
-- Nothing while nobody guards the database or its own comparison is still to come.
create function app.unguarded_accounts() returns table (id text, provider text, external_id text, since bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select a.id, a.provider, a.external_id, app.last_confirmed(a.id)
    from account_link l join network_account a on a.id = l.account_id cross join restore_guard g
    where l.workspace_id = app.workspace() and g.checked_start = pg_postmaster_start_time()
      and not exists (select 1 from account_guard x where x.account_id = a.id and x.checked_start = g.checked_start)
      and not exists (select 1 from account_guard x where x.account_id = a.id and x.lacking > 0)
    order by 1 limit 100
  $$;

-- A text without what varies: white space as one blank, placeholders as anything. '' when too little is left to recognise it by.
create function app.text_pattern(p_template text) returns text language sql immutable
  as $$
    select case when length(regexp_replace(p_template, '\{\{[^{}]*\}\}|\s', '', 'g')) < 4 then ''
      else regexp_replace(replace(replace(replace(btrim(regexp_replace(p_template, '\s+', ' ', 'g')), '\', '\\'), '%', '\%'), '_', '\_'), '\{\{[^{}]*\}\}', '%', 'g') end
  $$;
create function app.plain_text(p_text text) returns text language sql immutable
  as $$ select btrim(regexp_replace(coalesce(p_text, ''), '\s+', ' ', 'g')) $$;

-- Nodes of the workflows that send through the account whose text this is.
create function app.nodes_of_text(p_account text, p_kind text, p_text text) returns table (workspace_id text, campaign_id text, workflow_id text, node_id text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct w.workspace_id, w.campaign_id, w.id, n ->> 'nodeId'
    from account_link l join workflow w on w.workspace_id = l.workspace_id
      join workflow_graph g on g.workflow_id = w.id
      cross join lateral jsonb_array_elements(g.graph -> 'nodes') n
      cross join lateral (select app.text_pattern(coalesce(n -> 'config' ->> 'text', n -> 'config' ->> 'noteTemplate', n -> 'config' ->> 'body', '')) as pattern) p
    where l.account_id = p_account and n ->> 'nodeType' = 'network:' || p_kind and p.pattern <> '' and app.plain_text(p_text) like p.pattern
  $$;

-- Which of these traces at the provider the ledger lacks. p_traces: [{kind, ref, providerId, publicId, text, at}].
-- of_lead: the person is being followed through this account; ours: the text is one of ours.
create function app.lacking_traces(p_account text, p_traces jsonb) returns table (trace int, person_id uuid, of_lead boolean, ours boolean)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with t as (
      select (x.ord - 1)::int as trace, q.* from jsonb_array_elements(p_traces) with ordinality x (item, ord)
        cross join lateral jsonb_to_record(x.item) as q (kind text, ref text, "providerId" text, "publicId" text, text text, at bigint)
      where app.may_use_account(p_account)
    ),
    p as (
      select t.*, coalesce((select r.person_id from relation r where r.account_id = p_account and r.provider_id = t."providerId" limit 1),
        (select a.person_id from person_alias a where a.kind = 'profile' and a.value = lower(t."publicId"))) as person_id
      from t
    )
    select p.trace, p.person_id,
      exists (select 1 from run u join account_link l on l.workspace_id = u.workspace_id and l.account_id = p_account where u.person_id = p.person_id and u.ended_at is null),
      exists (select 1 from app.nodes_of_text(p_account, p.kind, p.text))
    from p
    where case p.kind
      when 'message' then
        not exists (select 1 from send s where s.account_id = p_account and s.provider_ref = p.ref)
        and not exists (select 1 from send s where s.account_id = p_account and s.person_id = p.person_id and s.action in ('message', 'inmail')
          and s.state in ('dispatched', 'confirmed', 'unknown') and app.plain_text(s.body) = app.plain_text(p.text))
        and not exists (select 1 from message m where m.account_id = p_account and m.external_id = p.ref and (m.noted_start is null or m.noted_start < pg_postmaster_start_time()))
      else
        not exists (select 1 from send_key k where k.key = 'r:' || p_account || ':' || p.person_id)
        and not exists (select 1 from relation r where r.account_id = p_account and r.person_id = p.person_id and r.state <> 'none')
      end
  $$;

-- What a look at the provider said of an account. Nothing lacking: it may act. A text of ours that the ledger lacks proves that
-- the ledger is older than what was sent: everything stops. Else only the account stops, for a person to look.
create function app.report_account(p_account text, p_now bigint, p_lacking int, p_proof boolean, p_detail text) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use_account(p_account) then return; end if;
    insert into account_guard as g (account_id, checked_start, lacking, proof, detail)
      values (p_account, case when p_lacking = 0 then pg_postmaster_start_time() end, p_lacking, p_proof, p_detail)
      on conflict (account_id) do update set checked_start = excluded.checked_start, lacking = excluded.lacking, proof = excluded.proof, detail = excluded.detail;
    if p_lacking = 0 then return; end if;
    insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
      select gen_random_uuid(), case when p_proof then 'platform' else 'account' end, case when p_proof then 'restore' else p_account end, '', p_detail, 'outrider', p_now
      on conflict (scope, target, channel) do nothing;
  end $$;

-- Stops every send until `outrider reconcile`; keeps what the outside keepers said. The first reason stays.
create function app.freeze_restore(p_now bigint, p_reason text, p_outside jsonb) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not (app.is_platform() or session_user = 'outrider_owner') then return false; end if;
    update restore_guard set outside = outside || p_outside;
    insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
      values (gen_random_uuid(), 'platform', 'restore', '', p_reason, 'outrider', p_now) on conflict (scope, target, channel) do nothing;
    return found;
  end $$;

do $$
declare f text;
begin
  foreach f in array array['is_guarded(text)', 'is_rehearsed(text)', 'unguarded_accounts()', 'last_confirmed(text)', 'nodes_of_text(text, text, text)',
    'lacking_traces(text, jsonb)', 'report_account(text, bigint, int, boolean, text)', 'freeze_restore(bigint, text, jsonb)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('grant execute on function app.%s to outrider_definer, outrider_owner', f);
  end loop;
end $$;
grant execute on function app.server_identity(), app.text_pattern(text), app.plain_text(text) to outrider_app, outrider_executor, outrider_definer, outrider_owner;
grant execute on function app.unguarded_accounts(), app.lacking_traces(text, jsonb), app.report_account(text, bigint, int, boolean, text) to outrider_executor;
grant execute on function app.is_guarded(text), app.is_rehearsed(text), app.nodes_of_text(text, text, text), app.last_confirmed(text), app.freeze_restore(bigint, text, jsonb) to outrider_app;

-- Where a node stands in its graph (from 1), newest version that has it; null when none has.
create function app.node_position(p_workflow text, p_node text) returns bigint
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select x.ord from workflow_graph g cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality x (n, ord)
    where g.workflow_id = p_workflow and n ->> 'nodeId' = p_node order by g.version desc limit 1
  $$;
alter function app.node_position(text, text) owner to outrider_definer;
grant execute on function app.node_position(text, text) to outrider_owner, outrider_app;
