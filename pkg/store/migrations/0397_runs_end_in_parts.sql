-- The live runs of a deleted workflow end part by part: before, one statement ended all of them, and of a workflow with some hundred thousand
-- it took longer than a statement may, so that the deletion began anew for ever.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.tombstone_workflow(text, bigint, text)'::regprocedure);
  after := replace(before, E'p_reason text)\n RETURNS integer', E'p_reason text, p_after uuid, p_most integer)\n RETURNS uuid');
  after := replace(after, 'then return 0; end if;', 'then return null; end if;');
  after := replace(after, 'where workflow_id = p_workflow and workspace_id = owner_id and ended_at is null returning id',
    'where id = any (array(select r.id from run r where r.workspace_id = owner_id and r.workflow_id = p_workflow and r.ended_at is null and (p_after is null or r.id > p_after)
            order by r.id limit p_most)) and ended_at is null returning id');
  after := replace(after, 'coalesce(array_agg(id), ''{}'')', 'coalesce(array_agg(id order by id), ''{}'')');
  after := replace(after, 'return coalesce(array_length(stopped, 1), 0);', 'return stopped[cardinality(stopped)];');
  if (select count(*) from regexp_matches(after, 'RETURNS uuid|return null; end if;|limit p_most|order by id\)|return stopped', 'g')) <> 5 then
    raise exception 'app.tombstone_workflow does not read as expected';
  end if;
  execute after;
end $$;
alter function app.tombstone_workflow(text, bigint, text, uuid, integer) owner to outrider_definer;
revoke execute on function app.tombstone_workflow(text, bigint, text, uuid, integer) from public;
grant execute on function app.tombstone_workflow(text, bigint, text, uuid, integer) to outrider_app;
drop function app.tombstone_workflow(text, bigint, text);
