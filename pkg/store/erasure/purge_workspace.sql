-- Purges a part of a deleted workspace, one kind of record after the other, p_most of each (500 leads at most): its
-- leads as an erasure leaves them, without a tombstone; its lists as deleted ones go; then what else it wrote,
-- credentials among it. p_now: epoch ms UTC, product time. The caller (app.purge_deleted) has locked it.
create or replace function app.purge_workspace(p_workspace text, p_now bigint, p_most int) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare n int;
  begin
    perform app.erase_lead(p_workspace, x.id, p_now, false)
    from (
      select l.id
      from lead l
      where l.workspace_id = p_workspace and l.erased_at is null
      limit least(p_most, 500)
    ) x;
    get diagnostics n = row_count;
    if n > 0 then return; end if;
    update lead_list t
    set deleted_at = w.deleted_at
    from workspace w
    where w.id = p_workspace and t.workspace_id = w.id and t.deleted_at is null;
    get diagnostics n = row_count;
    if n > 0 then return; end if;
    delete from lead_overlay
    where (workspace_id, lead_id) in (
      select o.workspace_id, o.lead_id
      from lead_overlay o
      where o.workspace_id = p_workspace
      limit p_most
    );
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from signal
    where id = any (array(select s.id from signal s where s.workspace_id = p_workspace limit p_most));
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from company
    where id = any (array(select c.id from company c where c.workspace_id = p_workspace limit p_most));
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from notification
    where id = any (array(select o.id from notification o where o.workspace_id = p_workspace limit p_most));
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from playbook where workspace_id = p_workspace;
    delete from invitation where workspace_id = p_workspace;
    delete from mail_outbox where workspace_id = p_workspace;
    delete from signal_queue where workspace_id = p_workspace;
    update lead_scrape_item
    set profile_id = ''
    where workspace_id = p_workspace and state <> 'queued' and profile_id <> '';
    update integration
    set
      sealed = null,
      url = '',
      name = '',
      last_error = null,
      deleted_at = coalesce(deleted_at, p_now)
    where workspace_id = p_workspace;
    update calendar_account
    set
      sealed = null,
      url = '',
      email = '',
      deleted_at = coalesce(deleted_at, p_now)
    where workspace_id = p_workspace;
    update lead_import
    set errors = '[]', source_note = null
    where workspace_id = p_workspace;
    update workspace
    set settings = settings - array['website', 'senderPostalAddress'], purged_at = p_now
    where id = p_workspace;
  end $$;

alter function app.purge_workspace(text, bigint, int) owner to outrider_definer;
revoke execute on function app.purge_workspace(text, bigint, int) from public;
