-- Purges a part of one record: of those whose retentionDays are over, the one that was deleted first (without that
-- setting a record stays), and of workspaces that a platform admin deleted, once their grace is over. Addresses of
-- unsubscription (unsubscribe_token) go after two years in any workspace, used or not, since nobody reads the mail any
-- more that carries one. Source: catalog WorkspaceSettings.retentionDays.
-- It leaves a workflow alone while the outcome of one of its sends is open, because its text is evidence, unless
-- nobody will decide about that send: it counts as maybe, somebody discarded it, or its workspace is deleted, which
-- no executor works for, and it is no dead letter (for an admin's deletion that counts no more). What proves contact
-- stays: sends with their keys, claims and times, suppression, budgets, credits, audit.
-- p_now: epoch ms UTC, product time; p_most: rows of one kind at most. Returns the kind (workflow, campaign, icp,
-- lead_list, workspace, unsubscribe_token), null when nothing is left or the caller is not the platform. The
-- operator's retention calls it until then, each time in a transaction of its own.
create or replace function app.purge_deleted(p_now bigint, p_most int) returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    found_id text;
    subject app.erasure_subject;
  begin
    if not app.is_platform() then return null; end if;
    select f.id
    into found_id
    from workflow f
    join workspace w on w.id = f.workspace_id
    where f.deleted_at is not null
      and f.purged_at is null
      and (f.deleted_at <= p_now - app.retention_ms(w.settings) or w.erase_at <= p_now)
      and not exists (
        select 1
        from send s
        where s.workflow_id = f.id
          and s.workspace_id = f.workspace_id
          and s.state in ('claimed', 'dispatched', 'unknown')
          and not s.maybe
          and s.dead_letter_state is distinct from 'discarded'
          and (w.deleted_at is null or (s.dead_letter_state = 'open' and w.erase_at is null))
      )
    order by f.deleted_at limit 1 for update of f skip locked;
    if found then
      perform app.purge_workflow(found_id, p_now, p_most);
      return 'workflow';
    end if;
    select c.id
    into found_id
    from campaign c
    join workspace w on w.id = c.workspace_id
    where c.deleted_at is not null
      and c.purged_at is null
      and (c.deleted_at <= p_now - app.retention_ms(w.settings) or w.erase_at <= p_now)
    order by c.deleted_at limit 1 for update of c skip locked;
    if found then
      perform app.purge_campaign(found_id, p_now, p_most);
      return 'campaign';
    end if;
    select i.id::text
    into found_id
    from icp i
    join workspace w on w.id = i.workspace_id
    where i.deleted_at is not null
      and i.purged_at is null
      and (i.deleted_at <= p_now - app.retention_ms(w.settings) or w.erase_at <= p_now)
    order by i.deleted_at limit 1 for update of i skip locked;
    if found then
      perform app.erase_rows('outrider.icp', format('t.id = %L', found_id), 'empty', subject, false, null);
      update icp set purged_at = p_now where id = found_id::uuid;
      return 'icp';
    end if;
    select t.id::text
    into found_id
    from lead_list t
    join workspace w on w.id = t.workspace_id
    where t.deleted_at is not null
      and t.purged_at is null
      and (t.deleted_at <= p_now - app.retention_ms(w.settings) or w.erase_at <= p_now)
    order by t.deleted_at limit 1 for update of t skip locked;
    if found then
      delete from lead_list_member
      where (lead_list_id, lead_id) in (
        select m.lead_list_id, m.lead_id
        from lead_list_member m
        where m.lead_list_id = found_id::uuid
        limit p_most
      );
      if not exists (select 1 from lead_list_member m where m.lead_list_id = found_id::uuid) then
        perform app.erase_rows('outrider.lead_list', format('t.id = %L', found_id), 'empty', subject, false, null);
        update lead_list set lead_count = 0, purged_at = p_now where id = found_id::uuid;
      end if;
      return 'lead_list';
    end if;
    select w.id
    into found_id
    from workspace w
    where w.deleted_at is not null
      and w.purged_at is null
      and (w.deleted_at <= p_now - app.retention_ms(w.settings) or w.erase_at <= p_now)
    order by w.deleted_at limit 1 for update of w skip locked;
    if found then
      perform app.purge_workspace(found_id, p_now, p_most);
      return 'workspace';
    end if;
    delete from unsubscribe_token
    where token_hash = any (
      array(
        select t.token_hash
        from unsubscribe_token t
        where t.created_at < p_now - 731 * 86400000::bigint
        order by t.created_at limit p_most for update skip locked
      )
    );
    if found then return 'unsubscribe_token'; end if;
    return null;
  end $$;

alter function app.purge_deleted(bigint, int) owner to outrider_definer;
revoke execute on function app.purge_deleted(bigint, int) from public;
grant execute on function app.purge_deleted(bigint, int) to outrider_app;
