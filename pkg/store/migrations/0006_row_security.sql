-- Row-level security, enabled and forced on every table. A schema test names the exceptions.
set local search_path = outrider, app, public;

create function app.linked_accounts() returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select account_id from outrider.account_link
    where workspace_id = any (array_append(app.workspaces(), app.workspace()))
       or app.is_platform()
    union
    select app.account() where app.account() is not null
  $$;

do $$
declare
  t record;
  visible constant text := 'workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform())';
  proven constant text := 'workspace_id = (select app.workspace())';
begin
  for t in
    select c.relname as name,
           exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped) as tenant
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'outrider' and c.relkind = 'r'
  loop
    execute format('alter table outrider.%I enable row level security', t.name);
    execute format('alter table outrider.%I force row level security', t.name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', t.name);
    execute format('create policy definer_all on outrider.%I to outrider_definer using (true) with check (true)', t.name);
    if t.tenant then
      execute format('create policy app_visible on outrider.%I to outrider_app using (%s) with check (%s)', t.name, visible, visible);
      execute format('create policy executor_claim on outrider.%I to outrider_executor using (%s) with check (%s)', t.name, proven, proven);
    end if;
    execute format('grant select, insert, update, delete on outrider.%I to outrider_app', t.name);
    execute format('grant select, insert, update, delete on outrider.%I to outrider_definer', t.name);
  end loop;
end $$;

-- Workspace rows are keyed by id; the shared lead pool is readable by all; accounts and inbox follow the links.
create policy app_visible on outrider.workspace to outrider_app
  using (id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.workspace for select to outrider_executor using (id = (select app.workspace()));
create policy app_shared_pool on outrider.lead for select to outrider_app using (workspace_id is null);
create policy executor_shared_pool on outrider.lead for select to outrider_executor using (workspace_id is null);
create policy app_own_keys on outrider.api_key to outrider_app using (workspace_id is null) with check (workspace_id is null);
create policy app_users on outrider.app_user to outrider_app using (true) with check (true);
create policy app_claims on outrider.claim to outrider_app using (true) with check (true);
create policy app_installation on outrider.installation to outrider_app using (true) with check (true);
create policy app_rates on outrider.rate_window to outrider_app using (true) with check (true);
create policy app_audit_global on outrider.audit_event to outrider_app using (workspace_id is null) with check (workspace_id is null);
create policy app_suppression_global on outrider.suppression for select to outrider_app using (level = 'platform');
create policy executor_suppression_global on outrider.suppression for select to outrider_executor using (level = 'platform');
create policy app_freeze_read on outrider.send_freeze for select to outrider_app using (true);
create policy app_freeze_write on outrider.send_freeze to outrider_app using ((select app.is_platform())) with check ((select app.is_platform()));
create policy executor_freeze_read on outrider.send_freeze for select to outrider_executor using (true);

create policy app_linked on outrider.network_account to outrider_app
  using (id in (select app.linked_accounts()) or (select app.is_platform())) with check ((select app.is_platform()) or id in (select app.linked_accounts()));
create policy executor_linked on outrider.network_account for select to outrider_executor using (id in (select app.linked_accounts()));
create policy executor_account_update on outrider.network_account for update to outrider_executor using (id = (select app.account())) with check (id = (select app.account()));

do $$
declare name text;
begin
  foreach name in array array['account_budget', 'account_pacing', 'conversation', 'message', 'relation', 'account_wake'] loop
    execute format('create policy app_linked on outrider.%I to outrider_app using (account_id in (select app.linked_accounts())) with check (account_id in (select app.linked_accounts()))', name);
    execute format('create policy executor_linked on outrider.%I for select to outrider_executor using (account_id in (select app.linked_accounts()))', name);
    execute format('create policy executor_account on outrider.%I to outrider_executor using (account_id = (select app.account())) with check (account_id = (select app.account()))', name);
  end loop;
end $$;

-- Persons, aliases, send keys, contact claims and the contact log cross tenants: reached through definer functions only.
revoke all on outrider.person, outrider.person_alias, outrider.send_key, outrider.contact_log from outrider_app;
revoke insert, update, delete on outrider.contact_claim from outrider_app;
drop policy app_visible on outrider.send_key;
drop policy executor_claim on outrider.send_key;
drop policy app_visible on outrider.contact_log;
drop policy executor_claim on outrider.contact_log;

-- What an executor may touch at all; policies narrow it to its workspace or account.
grant select on outrider.workspace, outrider.campaign, outrider.workflow, outrider.workflow_graph, outrider.hold, outrider.persona,
  outrider.icp, outrider.lead, outrider.lead_list, outrider.campaign_lead, outrider.network_account, outrider.account_link,
  outrider.account_budget, outrider.send_freeze, outrider.suppression, outrider.credit_balance, outrider.relation,
  outrider.conversation, outrider.message, outrider.account_wake, outrider.workspace_wake, outrider.lead_score to outrider_executor;
grant select, insert, update on outrider.run, outrider.send, outrider.review_item, outrider.source_feed, outrider.lead_overlay,
  outrider.lead_score, outrider.conversation, outrider.message, outrider.relation, outrider.account_wake, outrider.workspace_wake to outrider_executor;
grant insert, select on outrider.run_event, outrider.lead_list_member, outrider.suppression to outrider_executor;
grant update (lead_count) on outrider.lead_list to outrider_executor;
grant update on outrider.network_account to outrider_executor;
grant delete on outrider.workspace_wake to outrider_executor;
grant usage on all sequences in schema outrider to outrider_app, outrider_executor, outrider_definer;
grant select on app.claim_secret to outrider_definer;

-- Definer functions belong to the role that cannot log in.
alter function app.claim_mac(text) owner to outrider_definer;
alter function app.mint_token(text, text, bigint) owner to outrider_definer;
alter function app.proven_key(text) owner to outrider_definer;
alter function app.workspace() owner to outrider_definer;
alter function app.account() owner to outrider_definer;
alter function app.enter(text) owner to outrider_definer;
alter function app.take_claim(text, text, text, int) owner to outrider_definer;
alter function app.renew_claim(text, int) owner to outrider_definer;
alter function app.release_claim(text) owner to outrider_definer;
alter function app.report_idle(text, boolean) owner to outrider_definer;
alter function app.linked_accounts() owner to outrider_definer;
revoke execute on all functions in schema app from public;
grant execute on function app.workspaces(), app.is_platform(), app.workspace(), app.account(), app.linked_accounts() to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.take_claim(text, text, text, int) to outrider_app;
grant execute on function app.enter(text), app.renew_claim(text, int), app.release_claim(text), app.report_idle(text, boolean) to outrider_executor, outrider_app;
alter default privileges in schema app revoke execute on functions from public;
