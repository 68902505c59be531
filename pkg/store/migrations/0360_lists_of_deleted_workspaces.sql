-- When the time of a deleted workspace is over its lists go as deleted ones do: before, their names, filters and members from the shared
-- pool stayed for good. Not before: a workspace that is applied again has them back.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.purge_workspace(text, bigint, int)'::regprocedure);
  after := replace(before, 'delete from lead_overlay where (workspace_id, lead_id)',
    'update lead_list t set deleted_at = w.deleted_at from workspace w where w.id = p_workspace and t.workspace_id = w.id and t.deleted_at is null;
    get diagnostics n = row_count;
    if n > 0 then return; end if;
    delete from lead_overlay where (workspace_id, lead_id)');
  if after = before then raise exception 'app.purge_workspace does not read as expected'; end if;
  execute after;
end $$;
