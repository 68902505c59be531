-- A deleted workspace whose retentionDays were over kept the credentials of its CRM, webhooks and calendars for good, and the names of
-- whom it had invited and whose profiles it had asked for.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.purge_workspace(text, bigint, int)'::regprocedure);
  after := replace(before, '    delete from playbook where workspace_id = p_workspace;',
    '    delete from playbook where workspace_id = p_workspace;
    delete from invitation where workspace_id = p_workspace;
    delete from signal_queue where workspace_id = p_workspace;
    update lead_scrape_item set profile_id = '''' where workspace_id = p_workspace and state <> ''queued'' and profile_id <> '''';
    update integration set sealed = null, url = '''', name = '''', last_error = null, deleted_at = coalesce(deleted_at, p_now) where workspace_id = p_workspace;
    update calendar_account set sealed = null, url = '''', email = '''', deleted_at = coalesce(deleted_at, p_now) where workspace_id = p_workspace;');
  if after = before then raise exception 'app.purge_workspace does not read as expected'; end if;
  execute after;
end $$;
grant delete on invitation to outrider_definer;
grant update on integration, calendar_account, lead_scrape_item to outrider_definer;
