-- The runs of a deleted workflow end in transactions of their own: all of them ended in one, which with a million held the rows of their accounts
-- and persons for minutes, began anew when anything failed, and was nothing a tool could wait for. Who is left is found by the index of live runs,
-- wherever a deletion was interrupted.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.tombstone_workflow(text, bigint, text, uuid, integer)'::regprocedure);
  after text;
begin
  after := replace(before, E'p_after uuid, p_most integer)\n RETURNS uuid', E'p_most integer)\n RETURNS integer');
  after := replace(after, E'    stopped uuid[];\n', E'    live uuid[];\n    stopped uuid[];\n');
  after := replace(after, 'then return null; end if;', 'then return 0; end if;');
  after := replace(after, E'    with ended as (\n', E'    live := array(select r.id from run r where r.workflow_id = p_workflow and r.workspace_id = owner_id and r.ended_at is null limit p_most);
    -- In the order in which executors lock them.
    perform 1 from run r where r.id = any (live) order by r.id for no key update;\n    with ended as (\n');
  after := replace(after, 'where id = any (array(select r.id from run r where r.workspace_id = owner_id and r.workflow_id = p_workflow and r.ended_at is null and (p_after is null or r.id > p_after)
            order by r.id limit p_most)) and ended_at is null returning id', 'where id = any (live) and ended_at is null returning id');
  after := replace(after, 'return stopped[cardinality(stopped)];', 'return cardinality(live);');
  if (select count(*) from regexp_matches(after, 'RETURNS integer|    live uuid|return 0; end if;|limit p_most\);|where id = any \(live\)|return cardinality', 'g')) <> 6
      or position('p_after' in after) > 0 then
    raise exception 'app.tombstone_workflow does not read as expected';
  end if;
  execute after;
end $$;
alter function app.tombstone_workflow(text, bigint, text, integer) owner to outrider_definer;
revoke execute on function app.tombstone_workflow(text, bigint, text, integer) from public;
grant execute on function app.tombstone_workflow(text, bigint, text, integer) to outrider_app;
drop function app.tombstone_workflow(text, bigint, text, uuid, integer);
