-- Purges a part of a deleted workspace by the marks (app.column_marks), one table after the other, p_most rows of each:
-- its leads count as erased, without a tombstone; its lists go as deleted ones do; then all words of its own tables,
-- credentials among them, inboxes of accounts and users that no other workspace has. How much went is counted in
-- deletion. p_now: epoch ms UTC, product time. The caller (app.purge_deleted) has locked it.
create or replace function app.purge_workspace(p_workspace text, p_now bigint, p_most int) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare
    n int;
    m record;
    s app.erasure_subject;
  begin
    -- Their runs ended with the workspace, and were purged with their workflows.
    update lead l
    set erased_at = p_now, updated_at = p_now, company_id = null
    where l.id = any (
      array(select x.id from lead x where x.workspace_id = p_workspace and x.erased_at is null limit p_most)
    );
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    update lead_list t
    set deleted_at = w.deleted_at
    from workspace w
    where w.id = p_workspace and t.workspace_id = w.id and t.deleted_at is null;
    get diagnostics n = row_count;
    if n > 0 then return; end if;
    update lead_scrape_item i set state = 'failed' where i.workspace_id = p_workspace and i.state = 'queued';
    update integration i set deleted_at = p_now where i.workspace_id = p_workspace and i.deleted_at is null;
    update calendar_account c set deleted_at = p_now where c.workspace_id = p_workspace and c.deleted_at is null;
    s.workspace_id := p_workspace;
    s.accounts := app.accounts_only_of(p_workspace);
    s.users := array(
      select u.id
      from app_user u
      join member b on b.user_id = u.id and b.workspace_id = p_workspace
      where not u.platform_admin
        and not exists (select 1 from member o where o.user_id = u.id and o.workspace_id <> p_workspace)
    );
    for m in
      select *
      from app.column_marks() c
      where c.workspace <> '' and c.table_name <> 'outrider.workspace'
      -- Members last: a later pass finds by them the users whose rows are left.
      order by c.table_name = 'outrider.member', c.table_name
    loop
      n := app.erase_rows(m.table_name, m.workspace, m.left_act, s, false, p_most);
      if n > 0 then perform app.count_erased(p_workspace, split_part(m.table_name, '.', 2), n); end if;
      if n = p_most then return; end if;
    end loop;
    perform app.erase_rows('outrider.workspace', 't.id = ($1).workspace_id', 'empty', s, false, null);
    update workspace set purged_at = p_now where id = p_workspace;
  end $$;

alter function app.purge_workspace(text, bigint, int) owner to outrider_definer;
revoke execute on function app.purge_workspace(text, bigint, int) from public;
